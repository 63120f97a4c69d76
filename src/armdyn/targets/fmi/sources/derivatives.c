/* Derivatives of unknowns by knowns, by the tangent and the adjoint program of the model, and which depend on which. */
#include <string.h>

#include "fmu.h"

/* Copies values between an array of the caller and the places of variables: into the places, or, with out set, out of
 * them. Values that go into one place several times are added. */
static fmi3Status exchanged(
    const fmu_instance *instance,
    const fmi3ValueReference references[],
    size_t references_count,
    const double *in,
    double *out,
    double *places,
    size_t count)
{
    const fmi3Status status = fmu_sizes(instance, references, references_count, count, "derivatives");
    size_t k, e, used = 0;

    if (status != fmi3OK)
        return status;
    for (k = 0; k < references_count; ++k) {
        const fmu_variable *it = &model_variables[references[k]];

        for (e = 0; e < it->size; ++e, ++used) {
            if (out)
                out[used] = places[it->first + e];
            else
                places[it->first + e] += in[used];
        }
    }
    return fmi3OK;
}

/* Refuses unknowns where knowns are expected. */
static fmi3Status known(const fmu_instance *instance, const fmi3ValueReference references[], size_t count)
{
    size_t k;

    for (k = 0; k < count; ++k) {
        if (references[k] < MODEL_VARIABLES && model_variables[references[k]].first >= MODEL_KNOWNS)
            return fmu_says(instance, fmi3Error, "derivatives by %s: it is calculated, and not a known",
                            model_variables[references[k]].name);
    }
    return fmi3OK;
}

static fmi3Status provided(const fmu_instance *instance, const char *function)
{
    const fmi3Status status = fmu_in(instance, RUNNING | TERMINATED, function);

    if (status != fmi3OK || MODEL_DERIVATIVES)
        return status;
    return fmu_says(instance, fmi3Error, "%s: the FMU was made without derivatives", function);
}

static fmi3Status checked(const fmu_instance *instance, const double *values, size_t count)
{
    if (fmu_not_finite(values, count) == count)
        return fmi3OK;
    return fmu_says(instance, fmi3Discard, "a derivative is not finite at this state");
}

DEFINE(
    GetDirectionalDerivative,
    (fmi3Instance of,
     const fmi3ValueReference unknowns[],
     size_t unknowns_count,
     const fmi3ValueReference knowns[],
     size_t knowns_count,
     const fmi3Float64 seed[],
     size_t seed_count,
     fmi3Float64 sensitivity[],
     size_t sensitivity_count))
{
    const fmu_instance *instance = of;
    double rates[MODEL_VALUES] = {0.0};
    double directions[MODEL_VALUES];
    fmi3Status status = provided(instance, "fmi3GetDirectionalDerivative");

    if (status == fmi3OK)
        status = known(instance, knowns, knowns_count);
    if (status == fmi3OK)
        status = exchanged(instance, knowns, knowns_count, seed, NULL, rates, seed_count);
    if (status != fmi3OK)
        return status;
    memcpy(directions, rates, sizeof directions);
    model_tangent(instance->now.v, directions, rates);
    status = exchanged(instance, unknowns, unknowns_count, NULL, sensitivity, rates, sensitivity_count);
    return status == fmi3OK ? checked(instance, sensitivity, sensitivity_count) : status;
}

DEFINE(
    GetAdjointDerivative,
    (fmi3Instance of,
     const fmi3ValueReference unknowns[],
     size_t unknowns_count,
     const fmi3ValueReference knowns[],
     size_t knowns_count,
     const fmi3Float64 seed[],
     size_t seed_count,
     fmi3Float64 sensitivity[],
     size_t sensitivity_count))
{
    const fmu_instance *instance = of;
    double given[MODEL_VALUES] = {0.0};
    double gradient[MODEL_VALUES] = {0.0};
    size_t k;
    fmi3Status status = provided(instance, "fmi3GetAdjointDerivative");

    if (status == fmi3OK)
        status = known(instance, knowns, knowns_count);
    if (status == fmi3OK)
        status = exchanged(instance, unknowns, unknowns_count, seed, NULL, given, seed_count);
    if (status != fmi3OK)
        return status;
    model_adjoint(instance->now.v, given, gradient);
    for (k = 0; k < MODEL_KNOWNS; ++k)
        gradient[k] += given[k]; /* of a state that is an output too */
    status = exchanged(instance, knowns, knowns_count, NULL, sensitivity, gradient, sensitivity_count);
    return status == fmi3OK ? checked(instance, sensitivity, sensitivity_count) : status;
}

DEFINE(GetNumberOfVariableDependencies, (fmi3Instance of, fmi3ValueReference reference, size_t *count))
{
    const fmi3Status status = fmu_in(of, ANY, "fmi3GetNumberOfVariableDependencies");
    size_t k;

    if (status != fmi3OK)
        return status;
    if (reference >= MODEL_VARIABLES)
        return fmu_says(of, fmi3Error, "dependencies: there is no variable with the value reference %u",
                        (unsigned)reference);
    *count = 0;
    for (k = 0; k < model_dependency_count; ++k)
        *count += model_dependencies[k].unknown == reference;
    return fmi3OK;
}

DEFINE(
    GetVariableDependencies,
    (fmi3Instance of,
     fmi3ValueReference dependent,
     size_t dependent_elements[],
     fmi3ValueReference independents[],
     size_t independent_elements[],
     fmi3DependencyKind kinds[],
     size_t count))
{
    const fmi3Status status = fmu_in(of, ANY, "fmi3GetVariableDependencies");
    size_t k, found = 0;

    if (status != fmi3OK)
        return status;
    for (k = 0; k < model_dependency_count; ++k) {
        const fmu_dependency *it = &model_dependencies[k];

        if (it->unknown != dependent)
            continue;
        if (found == count)
            return fmu_says(of, fmi3Error, "dependencies: nDependencies is too small");
        dependent_elements[found] = it->unknown_element;
        independents[found] = it->known;
        independent_elements[found] = it->known_element;
        kinds[found++] = it->kind;
    }
    if (found < count)
        return fmu_says(of, fmi3Error, "dependencies: nDependencies is too large");
    return fmi3OK;
}
