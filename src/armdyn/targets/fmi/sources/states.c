/* The whole state of an instance: kept, given back, and written as bytes. */
#include <stdlib.h>
#include <string.h>

#include "fmu.h"

enum { HEADER = 40 };

/* The token of the model stands before the bytes of a state, so that those of another FMU are refused. */
static void header(fmi3Byte bytes[HEADER])
{
    memset(bytes, 0, HEADER);
    memcpy(bytes, model_token, strlen(model_token) < HEADER ? strlen(model_token) : HEADER);
}

DEFINE(GetFMUState, (fmi3Instance of, fmi3FMUState *state))
{
    fmu_instance *instance = of;
    const fmi3Status status = fmu_in(instance, ANY, "fmi3GetFMUState");

    if (status != fmi3OK)
        return status;
    if (!*state)
        *state = malloc(sizeof(fmu_state));
    if (!*state)
        return fmu_says(instance, fmi3Error, "no memory is left for a state");
    memcpy(*state, &instance->now, sizeof(fmu_state));
    return fmi3OK;
}

DEFINE(SetFMUState, (fmi3Instance of, fmi3FMUState state))
{
    fmu_instance *instance = of;
    const fmi3Status status = fmu_in(instance, ANY, "fmi3SetFMUState");

    if (status != fmi3OK)
        return status;
    if (!state)
        return fmu_says(instance, fmi3Error, "fmi3SetFMUState: no state is given");
    if (((const fmu_state *)state)->kind != instance->now.kind)
        return fmu_says(instance, fmi3Error, "fmi3SetFMUState: the state is that of another kind of instance");
    memcpy(&instance->now, state, sizeof(fmu_state));
    return fmi3OK;
}

DEFINE(FreeFMUState, (fmi3Instance of, fmi3FMUState *state))
{
    (void)of;
    if (state) {
        free(*state);
        *state = NULL;
    }
    return fmi3OK;
}

DEFINE(SerializedFMUStateSize, (fmi3Instance of, fmi3FMUState state, size_t *size))
{
    (void)state;
    *size = HEADER + sizeof(fmu_state);
    return fmu_in(of, ANY, "fmi3SerializedFMUStateSize");
}

DEFINE(SerializeFMUState, (fmi3Instance of, fmi3FMUState state, fmi3Byte bytes[], size_t size))
{
    const fmi3Status status = fmu_in(of, ANY, "fmi3SerializeFMUState");

    if (status != fmi3OK)
        return status;
    if (!state || size < HEADER + sizeof(fmu_state))
        return fmu_says(of, fmi3Error, "fmi3SerializeFMUState: no state, or too few bytes for it");
    header(bytes);
    memcpy(bytes + HEADER, state, sizeof(fmu_state));
    return fmi3OK;
}

DEFINE(DeserializeFMUState, (fmi3Instance of, const fmi3Byte bytes[], size_t size, fmi3FMUState *state))
{
    fmi3Byte expected[HEADER];
    const fmi3Status status = fmu_in(of, ANY, "fmi3DeserializeFMUState");

    if (status != fmi3OK)
        return status;
    header(expected);
    if (size != HEADER + sizeof(fmu_state) || memcmp(bytes, expected, HEADER) != 0)
        return fmu_says(of, fmi3Error, "the bytes are no state of this FMU");
    if (!*state)
        *state = malloc(sizeof(fmu_state));
    if (!*state)
        return fmu_says(of, fmi3Error, "no memory is left for a state");
    memcpy(*state, bytes + HEADER, sizeof(fmu_state));
    ((fmu_state *)*state)->has_rates = ((fmu_state *)*state)->has_results = 0;
    return fmi3OK;
}
