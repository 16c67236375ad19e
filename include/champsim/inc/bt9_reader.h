// Names of CBP-5's header bt9_reader.h, of which predictors use types of branches.
#include "utils.h"
