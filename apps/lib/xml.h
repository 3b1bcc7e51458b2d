/* SPDX-License-Identifier: BSD-2-Clause */
/* Text in XML and HTML documents. */
#ifndef APPS_LIB_XML_H
#define APPS_LIB_XML_H

#include <stdbool.h>
#include <stdio.h>

/* Writes a text as characters of an element or an attribute: markup is escaped, control characters
 * become blanks, bytes that are no UTF-8 question marks. */
void xml_text(FILE *out, const char *text);

/* Returns the bytes of the UTF-8 character at `text`, which XML allows; 0: it is none. */
unsigned xml_character(const char *text);

#endif
