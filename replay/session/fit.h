/* What of a request does not fit: traces, system, limits. FAULT_INPUT says what to leave out or to give instead. */
#ifndef REPLAY_SESSION_FIT_H
#define REPLAY_SESSION_FIT_H

#include "replay/session/session.h"

struct fault session_check_fit(const struct session_request *request);

#endif
