/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * barepmu.h for C++11: counters that close themselves, and regions that end with their scope.
 *
 *         void sort_all()
 *         {
 *                 bare::region region("sort");   // until the scope ends, by an exception, too
 *                 ...
 *         }
 *
 *         bare::counters pmu("cycles,instructions");
 *         auto counts = pmu.measure([&] { work(); });
 *
 * One file of the program defines BAREPMU_REGIONS_HERE before it includes this header.
 */
#ifndef BAREPMU_HPP
#define BAREPMU_HPP

#include <stdexcept>
#include <string>
#include <vector>

#include "barepmu_regions.h"

namespace bare
{

/* A region of barepmu_regions.h from here to the end of the scope. */
class region
{
      public:
	explicit region(const char *name) : name_(name)
	{
		barepmu_enter(name);
	}
	~region()
	{
		barepmu_leave(name_);
	}
	region(const region &) = delete;
	region &operator=(const region &) = delete;

      private:
	const char *name_;
};

/* Counters of the thread that makes them. Throws std::runtime_error if they cannot be opened. */
class counters
{
      public:
	explicit counters(const std::string &events)
	{
		if (barepmu_open(&pmu_, events.c_str())) {
			std::string why = pmu_.error;
			barepmu_close(&pmu_);
			throw std::runtime_error("barepmu: " + why);
		}
	}
	~counters()
	{
		barepmu_close(&pmu_);
	}
	counters(const counters &) = delete;
	counters &operator=(const counters &) = delete;

	/* Runs the function once. Returns the events that it took, in the order of the names. */
	template <class Function> std::vector<double> measure(Function &&function)
	{
		std::vector<double> counts;

		barepmu_reset(&pmu_);
		barepmu_begin(&pmu_);
		function();
		barepmu_end(&pmu_);
		for (int i = 0; i < pmu_.nr; i++)
			counts.push_back(barepmu_value(&pmu_, i, 1));
		return counts;
	}

	struct barepmu *get()
	{
		return &pmu_;
	}

      private:
	struct barepmu pmu_;
};

} // namespace bare

#endif
