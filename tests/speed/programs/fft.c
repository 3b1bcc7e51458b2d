/* SPDX-License-Identifier: BSD-2-Clause */
/* Fast Fourier transforms of 32,768 complex numbers, in place: strides of powers of two. */
#include "tests/accuracy/programs/program.h"

enum { BITS = 15, POINTS = 1 << BITS };

struct complex {
	double re, im;
};

static struct complex data[POINTS], roots[POINTS / 2];

static struct complex times(struct complex a, struct complex b)
{
	return (struct complex){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/* The roots of one of order POINTS, each half turn from the one of half the angle. */
static void make_roots(void)
{
	struct complex step = {0.99999998161642925, -0.00019174759731070331};

	roots[0] = (struct complex){1, 0};
	for (unsigned i = 1; i < POINTS / 2; i++)
		roots[i] = times(roots[i - 1], step);
}

static void reverse(void)
{
	for (unsigned i = 0, j = 0; i < POINTS; i++) {
		unsigned bit = POINTS >> 1;

		if (i < j) {
			struct complex kept = data[i];

			data[i] = data[j];
			data[j] = kept;
		}
		for (; j & bit; bit >>= 1)
			j ^= bit;
		j |= bit;
	}
}

static void transform(void)
{
	reverse();
	for (unsigned half = 1; half < POINTS; half *= 2)
		for (unsigned from = 0; from < POINTS; from += 2 * half)
			for (unsigned i = from; i < from + half; i++) {
				unsigned turn = (i - from) * (POINTS / 2 / half);
				struct complex a = data[i], b = times(roots[turn], data[i + half]);

				data[i] = (struct complex){a.re + b.re, a.im + b.im};
				data[i + half] = (struct complex){a.re - b.re, a.im - b.im};
			}
}

int main(int argc, char **argv)
{
	unsigned rounds = program_size(argc, argv, 3);

	make_roots();
	for (unsigned i = 0; i < POINTS; i++)
		data[i].re = program_random() % 1024;
	for (unsigned i = 0; i < rounds; i++)
		transform();
	return program_end((uint64_t)(data[1].re > data[2].re));
}
