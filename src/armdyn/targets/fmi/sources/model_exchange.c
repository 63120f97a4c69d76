/* Model exchange: the importer integrates the states. There are no events. */
#include <string.h>

#include "fmu.h"

static fmi3Status right_count(const fmu_instance *instance, size_t count)
{
    if (count == MODEL_STATES)
        return fmi3OK;
    return fmu_says(instance, fmi3Error, "nContinuousStates is %lu; expected %d", (unsigned long)count,
                    (int)MODEL_STATES);
}

/* Whether the function may be called now. */
static fmi3Status allowed(const fmu_instance *instance, unsigned modes, const char *function)
{
    const fmi3Status status = fmu_in(instance, modes, function);

    if (status != fmi3OK || instance->now.kind == MODEL_EXCHANGE)
        return status;
    return fmu_says(instance, fmi3Error, "%s belongs to model exchange, and this instance is for co-simulation",
                    function);
}

DEFINE(EvaluateDiscreteStates, (fmi3Instance of))
{
    return fmu_in(of, INITIALIZATION | EVENT, "fmi3EvaluateDiscreteStates");
}

DEFINE(
    UpdateDiscreteStates,
    (fmi3Instance of,
     fmi3Boolean *need_update,
     fmi3Boolean *terminate,
     fmi3Boolean *nominals_changed,
     fmi3Boolean *values_changed,
     fmi3Boolean *has_next_event,
     fmi3Float64 *next_event))
{
    *need_update = *terminate = *nominals_changed = *values_changed = *has_next_event = false;
    *next_event = 0.0;
    return fmu_in(of, EVENT, "fmi3UpdateDiscreteStates");
}

DEFINE(EnterContinuousTimeMode, (fmi3Instance of))
{
    fmu_instance *instance = of;
    const fmi3Status status = allowed(instance, EVENT, "fmi3EnterContinuousTimeMode");

    if (status == fmi3OK)
        instance->now.mode = CONTINUOUS_TIME;
    return status;
}

DEFINE(
    CompletedIntegratorStep,
    (fmi3Instance of, fmi3Boolean no_earlier_state, fmi3Boolean *enter_event_mode, fmi3Boolean *terminate))
{
    (void)no_earlier_state;
    *enter_event_mode = *terminate = false;
    return allowed(of, CONTINUOUS_TIME, "fmi3CompletedIntegratorStep");
}

DEFINE(SetTime, (fmi3Instance of, fmi3Float64 time))
{
    fmu_instance *instance = of;
    const fmi3Status status = allowed(instance, EVENT | CONTINUOUS_TIME, "fmi3SetTime");

    if (status != fmi3OK)
        return status;
    if (fmu_not_finite(&time, 1) == 0)
        return fmu_says(instance, fmi3Error, "the time is %g; expected a finite number", time);
    instance->now.v[PLACE_OF_TIME] = time;
    fmu_changed(instance);
    return fmi3OK;
}

DEFINE(SetContinuousStates, (fmi3Instance of, const fmi3Float64 states[], size_t count))
{
    fmu_instance *instance = of;
    fmi3Status status = allowed(instance, CONTINUOUS_TIME, "fmi3SetContinuousStates");
    size_t wrong;

    if (status == fmi3OK)
        status = right_count(instance, count);
    if (status != fmi3OK)
        return status;
    wrong = fmu_not_finite(states, count);
    if (wrong < count)
        return fmu_says(instance, fmi3Discard, "%s is %g; expected finite numbers", fmu_at(FIRST_STATE + wrong)->name,
                        states[wrong]);
    memcpy(instance->now.v + FIRST_STATE, states, count * sizeof *states);
    fmu_changed(instance);
    return fmi3OK;
}

DEFINE(GetContinuousStates, (fmi3Instance of, fmi3Float64 states[], size_t count))
{
    const fmu_instance *instance = of;
    fmi3Status status = allowed(instance, RUNNING, "fmi3GetContinuousStates");

    if (status == fmi3OK)
        status = right_count(instance, count);
    if (status == fmi3OK)
        memcpy(states, instance->now.v + FIRST_STATE, count * sizeof *states);
    return status;
}

DEFINE(GetContinuousStateDerivatives, (fmi3Instance of, fmi3Float64 rates[], size_t count))
{
    fmu_instance *instance = of;
    fmi3Status status = allowed(instance, RUNNING, "fmi3GetContinuousStateDerivatives");
    size_t wrong;

    if (status == fmi3OK)
        status = right_count(instance, count);
    if (status != fmi3OK)
        return status;
    fmu_rates(instance);
    memcpy(rates, instance->now.v + MODEL_KNOWNS, count * sizeof *rates);
    wrong = fmu_not_finite(rates, count);
    if (wrong < count)
        return fmu_says(instance, fmi3Discard, "%s is not finite at this state", fmu_at(MODEL_KNOWNS + wrong)->name);
    return fmi3OK;
}

DEFINE(GetNominalsOfContinuousStates, (fmi3Instance of, fmi3Float64 nominals[], size_t count))
{
    fmi3Status status = allowed(of, RUNNING, "fmi3GetNominalsOfContinuousStates");
    size_t k;

    if (status == fmi3OK)
        status = right_count(of, count);
    for (k = 0; k < count && status == fmi3OK; ++k)
        nominals[k] = 1.0;
    return status;
}

DEFINE(GetEventIndicators, (fmi3Instance of, fmi3Float64 indicators[], size_t count))
{
    const fmi3Status status = allowed(of, RUNNING, "fmi3GetEventIndicators");

    (void)indicators;
    if (status != fmi3OK || !count)
        return status;
    return fmu_says(of, fmi3Error, "the FMU has no event indicators");
}

DEFINE(GetNumberOfEventIndicators, (fmi3Instance of, size_t *count))
{
    *count = 0;
    return allowed(of, ANY, "fmi3GetNumberOfEventIndicators");
}

DEFINE(GetNumberOfContinuousStates, (fmi3Instance of, size_t *count))
{
    *count = MODEL_STATES;
    return allowed(of, ANY, "fmi3GetNumberOfContinuousStates");
}
