/* Checks that the parts of a request fit together: traces, system, limits. FAULT_INPUT names the part to leave out or
 * to change. */
#ifndef REPLAY_SESSION_FIT_H
#define REPLAY_SESSION_FIT_H

#include "replay/session/session.h"

/* Do the cores run MacSim's threads? Beside the kernels of a set threads are left out if there are no cores. */
bool session_has_macsim(const struct session_request *request);
/* Or those of instruction traces? */
bool session_has_threads(const struct session_request *request);
/* Or elastic traces? */
bool session_has_core_work(const struct session_request *request);
struct fault session_check_fit(const struct session_request *request);

#endif
