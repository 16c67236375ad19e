/* The host's clocks, in seconds: the time that a simulation takes, never simulated time. */
#ifndef BASE_HOST_CLOCK_H
#define BASE_HOST_CLOCK_H

double host_clock_s(void);               /* steady */
double host_thread_s(void);              /* processor time of this thread */
double host_process_s(void);             /* processor time of this process */

#endif
