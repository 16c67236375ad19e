/* A module's answers beside those of a log. */
#ifndef CLI_PLUGIN_PLUGIN_TEST_H
#define CLI_PLUGIN_PLUGIN_TEST_H

/* as: name of the module in the log, NULL: its own. An exit code; CLI_DIFFERS if an answer differs. */
int plugin_test(const char *path, const char *log, const char *as);

#endif
