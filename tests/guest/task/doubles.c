/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints and parses floating-point numbers: the C library's big arithmetic and the vector
 * registers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "tests/guest/tap.h"

static void prints(const char *wanted, const char *format, double value)
{
	char text[512];

	snprintf(text, sizeof(text), format, value);
	if (!ok(strcmp(text, wanted) == 0, "%s prints %.60s", format, wanted))
		printf("# got %s\n", text);
}

int main(void)
{
	volatile double third = 1.0 / 3.0, huge = 1e308, two = 2.0;

	prints("0.333333", "%f", third);
	prints("0.33333333333333331", "%.17g", third);
	prints("3.333333e-01", "%e", third);
	prints("0x1.8p+1", "%a", 3.0);
	prints("1e+308", "%g", huge);
	prints("inf", "%f", huge * 10);
	prints("-0.000000", "%f", -0.0);
	prints("1.41421356237309514547", "%.20f", sqrt(two)); /* the double next to it */
	prints("4.9406564584124654e-324", "%.17g", 4.9406564584124654e-324);
	prints("17976931348623157081452742373170435679807056752584499659891747680315726078002853876"
	       "05895586327668781"
	       "71540458953514382464234321326889464182768467546703537516986049910576551282076245490"
	       "09038932894407586"
	       "85084551339423045832369032229481658085593321233482747978262041447231687381771809192"
	       "99881250404026184"
	       "124858368"
	       ".000000", /* (2^53 - 1) * 2^971 */
	       "%f", 1.7976931348623157e308);
	ok(strtod("1.7976931348623157e308", NULL) == 1.7976931348623157e308,
	   "strtod reads the largest number");
	ok(strtod("0x1.fffffffffffffp-1", NULL) == 0x1.fffffffffffffp-1,
	   "strtod reads hexadecimal");
	return tap_end();
}
