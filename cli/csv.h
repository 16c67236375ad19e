/* Cells of CSV: RFC 4180, and safe for spreadsheets.
 *
 * Use: csv_put_cell for each text; numbers need nothing, and pass as they are. A text that a spreadsheet would take for
 * a formula, as it begins with =, +, -, @, a tab or a carriage return and is no number, gets an apostrophe before it,
 * which spreadsheets do not show, and stands in quotes. */
#ifndef CLI_CSV_H
#define CLI_CSV_H

#include <stdio.h>

void csv_put_cell(FILE *file, const char *text);

#endif
