/* Models of the cores as an axis of a sweep: `rubato sweep --model elastic,window,detailed`.
 *
 * Use: models_add after spec_read makes the axis cpu.model; models_check once the traces are open; models_fit for each
 * choice. A model that a trace is not made for is left out for that trace: window needs elastic traces, detailed
 * instruction traces. An elastic trace whose `instructions` are named has both: the same run as an instruction trace,
 * a twin, is a workload of the same name, which runs with the model detailed alone. */
#ifndef SWEEP_PLAN_MODELS_H
#define SWEEP_PLAN_MODELS_H

#include "replay/session/workload.h"
#include "sweep/plan/spec.h"

#define MODELS_KEY "cpu.model"

/* list: names joined by commas. FAULT_INPUT: one is none of the three, is given twice, or the file has the key. */
struct fault models_add(struct spec *spec, const char *list);
/* FAULT_INPUT: a model of the axis fits none of the sweep's traces, or a twin is none. */
struct fault models_check(const struct spec *spec, const struct workload *workloads);
/* Without such an axis all fit but twins. */
bool models_fit(const struct spec *spec, const uint32_t *levels, const struct workload *workloads, size_t workload);

#endif
