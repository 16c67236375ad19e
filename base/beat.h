/* A call between the pieces of long work, for a watch that ends the process when the work stands still.
 *
 * Use: who watches gives a function once, with beat_watch; code that works for long calls beat between its pieces, of
 * less than a second as a rule. Both hold for child processes, too. Without a watch beat does nothing. */
#ifndef BASE_BEAT_H
#define BASE_BEAT_H

void beat_watch(void (*function)(void));
void beat(void);

#endif
