/* Values of variables: all are of the type Float64. */
#include <string.h>

#include "fmu.h"

/* In which modes a variable may be set. */
static unsigned settable(fmu_role role)
{
    switch (role) {
    case OF_STEP:
    case OF_STATES: return INSTANTIATED | INITIALIZATION;
    case OF_PARAMETERS: return INSTANTIATED | INITIALIZATION | EVENT | STEP;
    case OF_INPUTS: return ALIVE;
    default: return 0;
    }
}

fmi3Status fmu_sizes(
    const fmu_instance *instance,
    const fmi3ValueReference references[],
    size_t references_count,
    size_t count,
    const char *function)
{
    size_t k, sum = 0;

    for (k = 0; k < references_count; ++k) {
        if (references[k] >= MODEL_VARIABLES)
            return fmu_says(instance, fmi3Error, "%s: there is no variable with the value reference %u", function,
                            (unsigned)references[k]);
        sum += model_variables[references[k]].size;
    }
    if (sum == count)
        return fmi3OK;
    if (references_count == 1)
        return fmu_says(instance, fmi3Error, "%s: nValues is %lu; %s has %lu values", function, (unsigned long)count,
                        model_variables[references[0]].name, (unsigned long)sum);
    return fmu_says(instance, fmi3Error, "%s: nValues is %lu; the %lu variables have %lu values", function,
                    (unsigned long)count, (unsigned long)references_count, (unsigned long)sum);
}

DEFINE(
    GetFloat64,
    (fmi3Instance of,
     const fmi3ValueReference references[],
     size_t references_count,
     fmi3Float64 values[],
     size_t count))
{
    fmu_instance *instance = of;
    fmi3Status status = fmu_in(instance, ANY, "fmi3GetFloat64");
    size_t k, used = 0;

    if (status == fmi3OK)
        status = fmu_sizes(instance, references, references_count, count, "fmi3GetFloat64");
    if (status != fmi3OK)
        return status; /* and nothing was written */
    for (k = 0; k < references_count; ++k) {
        const fmu_variable *it = &model_variables[references[k]];

        if (it->role == OF_RATES)
            fmu_rates(instance);
        if (it->role == OF_OUTPUTS)
            fmu_results(instance);
        memcpy(values + used, instance->now.v + it->first, it->size * sizeof *values);
        if (it->first >= MODEL_KNOWNS && fmu_not_finite(values + used, it->size) < it->size)
            status = fmu_says(instance, fmi3Discard, "%s is not finite at this state", it->name);
        used += it->size;
    }
    return status;
}

/* Whether the values may become those of the variable. */
static fmi3Status acceptable(const fmu_instance *instance, const fmu_variable *it, const double *values)
{
    const size_t wrong = fmu_not_finite(values, it->size);
    size_t k;

    if (!(settable(it->role) & (unsigned)instance->now.mode))
        return fmu_says(instance, fmi3Error, "%s cannot be set%s", it->name,
                        settable(it->role) ? " in this mode" : ": it is calculated");
    if (wrong < it->size)
        return fmu_says(instance, fmi3Error, "%s: value %lu is %g; expected a finite number", it->name,
                        (unsigned long)wrong + 1, values[wrong]);
    for (k = 0; k < it->size; ++k) {
        if (!(values[k] > it->least))
            return fmu_says(instance, fmi3Error, "%s is %g; expected more than %g", it->name, values[k], it->least);
    }
    return fmi3OK;
}

DEFINE(
    SetFloat64,
    (fmi3Instance of,
     const fmi3ValueReference references[],
     size_t references_count,
     const fmi3Float64 values[],
     size_t count))
{
    fmu_instance *instance = of;
    fmi3Status status = fmu_in(instance, ALIVE, "fmi3SetFloat64");
    size_t k, used = 0;

    if (status == fmi3OK)
        status = fmu_sizes(instance, references, references_count, count, "fmi3SetFloat64");
    for (k = 0; k < references_count && status == fmi3OK; ++k) {
        const fmu_variable *it = &model_variables[references[k]];

        status = acceptable(instance, it, values + used);
        used += it->size;
    }
    if (status != fmi3OK)
        return status; /* and nothing was set */
    for (k = 0, used = 0; k < references_count; ++k) {
        const fmu_variable *it = &model_variables[references[k]];

        memcpy(instance->now.v + it->first, values + used, it->size * sizeof *values);
        used += it->size;
    }
    fmu_changed(instance);
    return fmi3OK;
}

/* Nothing is asked of a type that no variable has. */
static fmi3Status none(fmi3Instance of, size_t references, const char *function)
{
    const fmi3Status status = fmu_in(of, ANY, function);

    if (status != fmi3OK || !references)
        return status;
    return fmu_says(of, fmi3Error, "%s: all variables are of the type Float64, and none is a clock", function);
}

#define OTHER_TYPE(name, type)                                                                                         \
    DEFINE(Get##name,                                                                                                  \
           (fmi3Instance of, const fmi3ValueReference references[], size_t n, type values[], size_t count))            \
    {                                                                                                                  \
        (void)references, (void)values, (void)count;                                                                   \
        return none(of, n, "fmi3Get" #name);                                                                           \
    }                                                                                                                  \
    DEFINE(Set##name,                                                                                                  \
           (fmi3Instance of, const fmi3ValueReference references[], size_t n, const type values[], size_t count))      \
    {                                                                                                                  \
        (void)references, (void)values, (void)count;                                                                   \
        return none(of, n, "fmi3Set" #name);                                                                           \
    }

OTHER_TYPE(Float32, fmi3Float32)
OTHER_TYPE(Int8, fmi3Int8)
OTHER_TYPE(UInt8, fmi3UInt8)
OTHER_TYPE(Int16, fmi3Int16)
OTHER_TYPE(UInt16, fmi3UInt16)
OTHER_TYPE(Int32, fmi3Int32)
OTHER_TYPE(UInt32, fmi3UInt32)
OTHER_TYPE(Int64, fmi3Int64)
OTHER_TYPE(UInt64, fmi3UInt64)
OTHER_TYPE(Boolean, fmi3Boolean)
OTHER_TYPE(String, fmi3String)

/* With other arguments behind the value references. */
#define OTHER_FUNCTION(name, arguments, unused)                                                                        \
    DEFINE(name, arguments)                                                                                            \
    {                                                                                                                  \
        (void)references;                                                                                              \
        unused;                                                                                                        \
        return none(of, n, "fmi3" #name);                                                                              \
    }

OTHER_FUNCTION(
    GetBinary,
    (fmi3Instance of,
     const fmi3ValueReference references[],
     size_t n,
     size_t sizes[],
     fmi3Binary values[],
     size_t count),
    ((void)sizes, (void)values, (void)count))
OTHER_FUNCTION(
    SetBinary,
    (fmi3Instance of,
     const fmi3ValueReference references[],
     size_t n,
     const size_t sizes[],
     const fmi3Binary values[],
     size_t count),
    ((void)sizes, (void)values, (void)count))
OTHER_FUNCTION(
    GetClock, (fmi3Instance of, const fmi3ValueReference references[], size_t n, fmi3Clock values[]), (void)values)
OTHER_FUNCTION(
    SetClock,
    (fmi3Instance of, const fmi3ValueReference references[], size_t n, const fmi3Clock values[]),
    (void)values)
OTHER_FUNCTION(
    GetIntervalDecimal,
    (fmi3Instance of,
     const fmi3ValueReference references[],
     size_t n,
     fmi3Float64 intervals[],
     fmi3IntervalQualifier qualifiers[]),
    ((void)intervals, (void)qualifiers))
OTHER_FUNCTION(
    GetIntervalFraction,
    (fmi3Instance of,
     const fmi3ValueReference references[],
     size_t n,
     fmi3UInt64 counters[],
     fmi3UInt64 resolutions[],
     fmi3IntervalQualifier qualifiers[]),
    ((void)counters, (void)resolutions, (void)qualifiers))
OTHER_FUNCTION(
    GetShiftDecimal,
    (fmi3Instance of, const fmi3ValueReference references[], size_t n, fmi3Float64 shifts[]),
    (void)shifts)
OTHER_FUNCTION(
    GetShiftFraction,
    (fmi3Instance of,
     const fmi3ValueReference references[],
     size_t n,
     fmi3UInt64 counters[],
     fmi3UInt64 resolutions[]),
    ((void)counters, (void)resolutions))
OTHER_FUNCTION(
    SetIntervalDecimal,
    (fmi3Instance of, const fmi3ValueReference references[], size_t n, const fmi3Float64 intervals[]),
    (void)intervals)
OTHER_FUNCTION(
    SetIntervalFraction,
    (fmi3Instance of,
     const fmi3ValueReference references[],
     size_t n,
     const fmi3UInt64 counters[],
     const fmi3UInt64 resolutions[]),
    ((void)counters, (void)resolutions))
OTHER_FUNCTION(
    SetShiftDecimal,
    (fmi3Instance of, const fmi3ValueReference references[], size_t n, const fmi3Float64 shifts[]),
    (void)shifts)
OTHER_FUNCTION(
    SetShiftFraction,
    (fmi3Instance of,
     const fmi3ValueReference references[],
     size_t n,
     const fmi3UInt64 counters[],
     const fmi3UInt64 resolutions[]),
    ((void)counters, (void)resolutions))
