/* Instances: their making and end, their modes, their log. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fmu.h"

static const char *const category_names[CATEGORIES] = {"logStatusError", "logStatusDiscard"};

fmi3Status fmu_says(const fmu_instance *instance, fmi3Status status, const char *format, ...)
{
    const int category = status == fmi3Discard ? 1 : 0;
    char message[512];
    va_list arguments;

    if (instance->log && (status == fmi3Error || instance->logged[category])) {
        va_start(arguments, format);
        vsnprintf(message, sizeof message, format, arguments);
        va_end(arguments);
        instance->log(instance->environment, status, category_names[category], message);
    }
    return status;
}

static const char *mode_name(fmu_mode mode)
{
    switch (mode) {
    case INSTANTIATED: return "the state Instantiated";
    case INITIALIZATION: return "Initialization Mode";
    case EVENT: return "Event Mode";
    case CONTINUOUS_TIME: return "Continuous-Time Mode";
    case STEP: return "Step Mode";
    default: return "the state Terminated";
    }
}

fmi3Status fmu_in(const fmu_instance *instance, unsigned modes, const char *function)
{
    if (!instance)
        return fmi3Error;
    if ((unsigned)instance->now.mode & modes)
        return fmi3OK;
    return fmu_says(instance, fmi3Error, "%s is not allowed in %s", function, mode_name(instance->now.mode));
}

void fmu_changed(fmu_instance *instance)
{
    instance->now.has_rates = instance->now.has_results = 0;
}

void fmu_rates(fmu_instance *instance)
{
    if (!instance->now.has_rates)
        model_rates(instance->now.v);
    instance->now.has_rates = 1;
}

void fmu_results(fmu_instance *instance)
{
    if (!instance->now.has_results)
        model_results(instance->now.v);
    instance->now.has_rates = instance->now.has_results = 1;
}

size_t fmu_not_finite(const double *values, size_t count)
{
    size_t k;

    for (k = 0; k < count; ++k) {
        const double nothing = values[k] - values[k];

        if (!(nothing == 0.0))
            return k;
    }
    return count;
}

const fmu_variable *fmu_at(size_t place)
{
    size_t k = MODEL_VARIABLES - 1;

    while (k > 0 && model_variables[k].first > place)
        --k;
    return &model_variables[k];
}

static void begin(fmu_instance *instance, fmu_kind kind)
{
    memset(&instance->now, 0, sizeof instance->now);
    instance->now.kind = kind;
    memcpy(instance->now.v, model_start, sizeof model_start);
    instance->now.mode = INSTANTIATED;
}

static fmu_instance *made(
    fmu_kind kind,
    fmi3String token,
    fmi3Boolean logging,
    fmi3InstanceEnvironment environment,
    fmi3LogMessageCallback log)
{
    fmu_instance *instance = calloc(1, sizeof *instance);
    int k;

    if (!instance)
        return NULL;
    instance->environment = environment;
    instance->log = log;
    for (k = 0; k < CATEGORIES; ++k)
        instance->logged[k] = logging;
    begin(instance, kind);
    if (!token || strcmp(token, model_token) != 0) {
        fmu_says(instance, fmi3Error, "the instantiationToken is %s; expected %s, that of modelDescription.xml",
                 token ? token : "missing", model_token);
        free(instance);
        return NULL;
    }
    return instance;
}

DEFINE_OTHER(const char *, GetVersion, (void))
{
    return "3.0";
}

DEFINE(SetDebugLogging, (fmi3Instance of, fmi3Boolean on, size_t count, const fmi3String categories[]))
{
    fmu_instance *instance = of;
    size_t c;
    int k, known;

    if (!instance)
        return fmi3Error;
    for (k = 0; k < CATEGORIES && !count; ++k)
        instance->logged[k] = on;
    for (c = 0; c < count; ++c) {
        known = 0;
        for (k = 0; k < CATEGORIES; ++k) {
            if (strcmp(categories[c], category_names[k]) == 0) {
                instance->logged[k] = on;
                known = 1;
            }
        }
        if (!known)
            return fmu_says(instance, fmi3Error, "there is no log category '%s'", categories[c]);
    }
    return fmi3OK;
}

DEFINE_OTHER(
    fmi3Instance,
    InstantiateModelExchange,
    (fmi3String name,
     fmi3String token,
     fmi3String resources,
     fmi3Boolean visible,
     fmi3Boolean logging,
     fmi3InstanceEnvironment environment,
     fmi3LogMessageCallback log))
{
    (void)name, (void)resources, (void)visible;
    if (MODEL_SAMPLED) {
        if (log)
            log(environment, fmi3Error, category_names[0], "the FMU has a sample time, and is for co-simulation only");
        return NULL;
    }
    return made(MODEL_EXCHANGE, token, logging, environment, log);
}

DEFINE_OTHER(
    fmi3Instance,
    InstantiateCoSimulation,
    (fmi3String name,
     fmi3String token,
     fmi3String resources,
     fmi3Boolean visible,
     fmi3Boolean logging,
     fmi3Boolean events,
     fmi3Boolean early_return,
     const fmi3ValueReference required[],
     size_t required_count,
     fmi3InstanceEnvironment environment,
     fmi3LogMessageCallback log,
     fmi3IntermediateUpdateCallback update))
{
    fmu_instance *instance = made(CO_SIMULATION, token, logging, environment, log);

    (void)name, (void)resources, (void)visible, (void)early_return, (void)required, (void)update;
    if (instance && (events || required_count)) {
        fmu_says(instance, fmi3Error, "the FMU has neither an Event Mode in co-simulation nor intermediate updates");
        free(instance);
        return NULL;
    }
    return instance;
}

DEFINE_OTHER(
    fmi3Instance,
    InstantiateScheduledExecution,
    (fmi3String name,
     fmi3String token,
     fmi3String resources,
     fmi3Boolean visible,
     fmi3Boolean logging,
     fmi3InstanceEnvironment environment,
     fmi3LogMessageCallback log,
     fmi3ClockUpdateCallback update,
     fmi3LockPreemptionCallback lock,
     fmi3UnlockPreemptionCallback unlock))
{
    (void)name, (void)token, (void)resources, (void)visible, (void)logging, (void)update, (void)lock, (void)unlock;
    if (log)
        log(environment, fmi3Error, category_names[0], "the FMU has no Scheduled Execution");
    return NULL;
}

DEFINE_OTHER(void, FreeInstance, (fmi3Instance of))
{
    free(of);
}

DEFINE(
    EnterInitializationMode,
    (fmi3Instance of,
     fmi3Boolean has_tolerance,
     fmi3Float64 tolerance,
     fmi3Float64 start,
     fmi3Boolean has_stop,
     fmi3Float64 stop))
{
    fmu_instance *instance = of;
    const fmi3Status status = fmu_in(instance, INSTANTIATED, "fmi3EnterInitializationMode");

    (void)has_tolerance, (void)tolerance;
    if (status != fmi3OK)
        return status;
    if (fmu_not_finite(&start, 1) == 0)
        return fmu_says(instance, fmi3Error, "the start time is %g; expected a finite number", start);
    if (has_stop && !(stop >= start))
        return fmu_says(instance, fmi3Error, "the stop time %g comes before the start time %g", stop, start);
    instance->now.v[PLACE_OF_TIME] = start;
    instance->now.has_stop = has_stop;
    instance->now.stop = stop;
    instance->now.mode = INITIALIZATION;
    fmu_changed(instance);
    return fmi3OK;
}

DEFINE(ExitInitializationMode, (fmi3Instance of))
{
    fmu_instance *instance = of;
    const fmi3Status status = fmu_in(instance, INITIALIZATION, "fmi3ExitInitializationMode");

    if (status == fmi3OK)
        instance->now.mode = instance->now.kind == MODEL_EXCHANGE ? EVENT : STEP;
    return status;
}

DEFINE(EnterEventMode, (fmi3Instance of))
{
    fmu_instance *instance = of;
    const fmi3Status status = fmu_in(instance, CONTINUOUS_TIME, "fmi3EnterEventMode");

    if (status == fmi3OK)
        instance->now.mode = EVENT;
    return status;
}

DEFINE(Terminate, (fmi3Instance of))
{
    fmu_instance *instance = of;
    const fmi3Status status = fmu_in(instance, EVENT | CONTINUOUS_TIME | STEP, "fmi3Terminate");

    if (status == fmi3OK)
        instance->now.mode = TERMINATED;
    return status;
}

DEFINE(Reset, (fmi3Instance of))
{
    fmu_instance *instance = of;
    const fmi3Status status = fmu_in(instance, ANY, "fmi3Reset");

    if (status == fmi3OK)
        begin(instance, instance->now.kind);
    return status;
}

/* There are no structural parameters. */
DEFINE(EnterConfigurationMode, (fmi3Instance of))
{
    return fmu_in(of, 0, "fmi3EnterConfigurationMode, as the FMU has no structural parameters,");
}

DEFINE(ExitConfigurationMode, (fmi3Instance of))
{
    return fmu_in(of, 0, "fmi3ExitConfigurationMode, as the FMU has no structural parameters,");
}
