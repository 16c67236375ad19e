// Names of CBP-5's header bt9.h, of which predictors use nothing.
#include "utils.h"
