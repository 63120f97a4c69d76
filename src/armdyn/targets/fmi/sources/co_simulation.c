/* Co-simulation: fixed steps, inputs held during a communication step. */
#include <string.h>

#include "fmu.h"

enum { MOST_STEPS = 1000000000 };

#if MODEL_SAMPLED

/* A sampled model: its own step. */
static void step(double *v, double h)
{
    (void)h;
    model_next(v);
}

#else

/* What the states are at a rate that stands behind the knowns of v. */
static void stage(double *v, const double *x, double time, double h)
{
    size_t k;

    for (k = 0; k < MODEL_STATES; ++k)
        v[FIRST_STATE + k] = x[k] + h * v[MODEL_KNOWNS + k];
    v[PLACE_OF_TIME] = time;
    model_rates(v);
}

static void add(double *sum, const double *v, double weight)
{
    size_t k;

    for (k = 0; k < MODEL_STATES; ++k)
        sum[k] += weight * v[MODEL_KNOWNS + k];
}

/* The classical method of Runge and Kutta, of the fourth order. */
static void step(double *v, double h)
{
    const double time = v[PLACE_OF_TIME];
    double x[MODEL_STATES], sum[MODEL_STATES] = {0.0};
    size_t k;

    memcpy(x, v + FIRST_STATE, sizeof x);
    model_rates(v);
    add(sum, v, 1.0);
    stage(v, x, time + 0.5 * h, 0.5 * h);
    add(sum, v, 2.0);
    stage(v, x, time + 0.5 * h, 0.5 * h);
    add(sum, v, 2.0);
    stage(v, x, time + h, h);
    add(sum, v, 1.0);
    for (k = 0; k < MODEL_STATES; ++k)
        v[FIRST_STATE + k] = x[k] + h / 6.0 * sum[k];
}

#endif

/* How many steps a communication step has; 0, and why in the log, where it cannot be made. */
static long steps_of(const fmu_instance *instance, double length)
{
    const double ratio = length / instance->now.v[PLACE_OF_STEP];
    long count;

    if (!(length > 0.0) || !(ratio < (double)MOST_STEPS)) {
        fmu_says(instance, fmi3Error, "the communicationStepSize is %g s, and the step %g s", length,
                 instance->now.v[PLACE_OF_STEP]);
        return 0;
    }
    if (!MODEL_SAMPLED)
        return (long)(ratio * (1.0 - 1e-9)) + 1;
    count = (long)(ratio + 0.5);
    if (count < 1 || ratio - (double)count > 1e-6 || (double)count - ratio > 1e-6) {
        fmu_says(instance, fmi3Error, "the communicationStepSize is %g s; expected a multiple of the step, %g s",
                 length, instance->now.v[PLACE_OF_STEP]);
        return 0;
    }
    return count;
}

static double size_of(double x)
{
    return x < 0.0 ? -x : x;
}

/* Whether a step may begin at this time and end at that one. */
static fmi3Status in_time(const fmu_instance *instance, double time, double length)
{
    const double now = instance->now.v[PLACE_OF_TIME], rounding = 1e-9 * (size_of(now) + size_of(length));

    if (!(size_of(time - now) <= rounding))
        return fmu_says(instance, fmi3Error, "the currentCommunicationPoint is %.17g s; the FMU is at %.17g s", time,
                        now);
    if (instance->now.has_stop && time + length > instance->now.stop + rounding)
        return fmu_says(instance, fmi3Error, "the step ends at %.17g s, behind the stop time %.17g s", time + length,
                        instance->now.stop);
    return fmi3OK;
}

DEFINE(EnterStepMode, (fmi3Instance of))
{
    return fmu_in(of, 0, "fmi3EnterStepMode, as the FMU has no Event Mode in co-simulation,");
}

DEFINE(
    DoStep,
    (fmi3Instance of,
     fmi3Float64 time,
     fmi3Float64 length,
     fmi3Boolean no_earlier_state,
     fmi3Boolean *events,
     fmi3Boolean *terminate,
     fmi3Boolean *early_return,
     fmi3Float64 *last_time))
{
    fmu_instance *instance = of;
    fmi3Status status = fmu_in(instance, STEP, "fmi3DoStep");
    double v[MODEL_VALUES];
    size_t wrong;
    long count, k;

    (void)no_earlier_state;
    *events = *terminate = *early_return = false;
    *last_time = time;
    if (status == fmi3OK)
        status = in_time(instance, time, length);
    if (status != fmi3OK)
        return status;
    count = steps_of(instance, length);
    if (!count)
        return fmi3Error;
    memcpy(v, instance->now.v, sizeof v);
    for (k = 0; k < count; ++k) {
        v[PLACE_OF_TIME] = time + length * (double)k / (double)count;
        step(v, length / (double)count);
    }
    wrong = fmu_not_finite(v + FIRST_STATE, MODEL_STATES);
    if (wrong != MODEL_STATES)
        return fmu_says(instance, fmi3Discard, "%s is no longer finite behind %.17g s; the FMU stays there",
                        fmu_at(FIRST_STATE + wrong)->name, time);
    memcpy(instance->now.v, v, sizeof v);
    instance->now.v[PLACE_OF_TIME] = *last_time = time + length;
    fmu_changed(instance);
    return fmi3OK;
}

DEFINE(
    GetOutputDerivatives,
    (fmi3Instance of,
     const fmi3ValueReference references[],
     size_t references_count,
     const fmi3Int32 orders[],
     fmi3Float64 values[],
     size_t count))
{
    (void)references, (void)orders, (void)values, (void)count;
    if (!references_count)
        return fmu_in(of, ANY, "fmi3GetOutputDerivatives");
    return fmu_in(of, 0, "fmi3GetOutputDerivatives, as the FMU has no derivatives of outputs by time,");
}

DEFINE(ActivateModelPartition, (fmi3Instance of, fmi3ValueReference clock, fmi3Float64 time))
{
    (void)clock, (void)time;
    return fmu_in(of, 0, "fmi3ActivateModelPartition, as the FMU has no Scheduled Execution,");
}
