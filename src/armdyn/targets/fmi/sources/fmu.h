/* An instance of the FMU, and what its files share.
 *
 * All values stand in one array v. First come the knowns: the time, the step, states, inputs, parameters; behind them
 * the unknowns: rates of the states in the order of the states, then outputs. A value reference is the number of a
 * variable in the table model_variables. */
#ifndef FMU_H
#define FMU_H

#include "fmi3_api.h"
#include "model_sizes.h"

/* Where several FMUs are linked into one program, their own names differ too. */
#ifdef FMI3_FUNCTION_PREFIX
#define FMU_PASTED(prefix, name) prefix##name
#define FMU_NAMED(prefix, name) FMU_PASTED(prefix, name)
#define FMU_OWN(name) FMU_NAMED(FMI3_FUNCTION_PREFIX, name)
#define model_token FMU_OWN(model_token)
#define model_variables FMU_OWN(model_variables)
#define model_start FMU_OWN(model_start)
#define model_dependency_count FMU_OWN(model_dependency_count)
#define model_dependencies FMU_OWN(model_dependencies)
#define model_rates FMU_OWN(model_rates)
#define model_results FMU_OWN(model_results)
#define model_next FMU_OWN(model_next)
#define model_tangent FMU_OWN(model_tangent)
#define model_adjoint FMU_OWN(model_adjoint)
#define fmu_says FMU_OWN(fmu_says)
#define fmu_in FMU_OWN(fmu_in)
#define fmu_sizes FMU_OWN(fmu_sizes)
#define fmu_changed FMU_OWN(fmu_changed)
#define fmu_rates FMU_OWN(fmu_rates)
#define fmu_results FMU_OWN(fmu_results)
#define fmu_not_finite FMU_OWN(fmu_not_finite)
#define fmu_at FMU_OWN(fmu_at)
#endif

enum { PLACE_OF_TIME = 0, PLACE_OF_STEP = 1, FIRST_STATE = 2 };

typedef enum { OF_TIME, OF_STEP, OF_STATES, OF_INPUTS, OF_PARAMETERS, OF_RATES, OF_OUTPUTS } fmu_role;

typedef struct {
    const char *name;
    fmu_role role;
    size_t first; /* place in v */
    size_t size;
    double least; /* what a value must be greater than */
} fmu_variable;

/* A number depends on another one. */
typedef struct {
    fmi3ValueReference unknown;
    fmi3ValueReference known;
    size_t unknown_element; /* from 1 */
    size_t known_element;
    fmi3DependencyKind kind;
} fmu_dependency;

/* The model: these are defined by model.c. */
extern const char model_token[];
extern const fmu_variable model_variables[MODEL_VARIABLES];
extern const double model_start[MODEL_KNOWNS];
extern const size_t model_dependency_count;
extern const fmu_dependency model_dependencies[];

void model_rates(double *v);   /* the rates of the states */
void model_results(double *v); /* rates and outputs */
void model_next(double *v);    /* sampled models: states a step later take the place of those now */
void model_tangent(const double *v, const double *seed, double *rate);    /* unknowns along knowns */
void model_adjoint(const double *v, const double *seed, double *gradient); /* of unknowns by knowns */

typedef enum {
    INSTANTIATED = 1,
    INITIALIZATION = 2,
    EVENT = 4,
    CONTINUOUS_TIME = 8,
    STEP = 16,
    TERMINATED = 32,
    RUNNING = INITIALIZATION | EVENT | CONTINUOUS_TIME | STEP,
    ALIVE = INSTANTIATED | RUNNING,
    ANY = ALIVE | TERMINATED
} fmu_mode;

typedef enum { MODEL_EXCHANGE, CO_SIMULATION } fmu_kind;

/* What fmi3GetFMUState keeps. */
typedef struct {
    fmu_kind kind;
    fmu_mode mode;
    int has_rates;   /* whether the rates in v belong to the knowns */
    int has_results; /* whether all unknowns do */
    int has_stop;
    double stop;
    double v[MODEL_VALUES];
} fmu_state;

enum { CATEGORIES = 2 };

typedef struct {
    fmi3InstanceEnvironment environment;
    fmi3LogMessageCallback log;
    bool logged[CATEGORIES];
    fmu_state now;
} fmu_instance;

/* Logs why, and gives the status back. Errors go to every log; what is discarded, to one that wants it. */
fmi3Status fmu_says(const fmu_instance *instance, fmi3Status status, const char *format, ...);

/* fmi3OK if the instance is in one of the modes; otherwise an error that names the function. */
fmi3Status fmu_in(const fmu_instance *instance, unsigned modes, const char *function);

/* Whether variables have as many numbers together as are given; an error that names the function if they do not. */
fmi3Status fmu_sizes(
    const fmu_instance *instance,
    const fmi3ValueReference references[],
    size_t references_count,
    size_t count,
    const char *function);

/* The knowns have changed. */
void fmu_changed(fmu_instance *instance);

/* Brings rates, or all unknowns, up to date. */
void fmu_rates(fmu_instance *instance);
void fmu_results(fmu_instance *instance);

/* The first of some values that is no finite number, or their count. */
size_t fmu_not_finite(const double *values, size_t count);

/* The variable that a place in v belongs to. */
const fmu_variable *fmu_at(size_t place);

#endif
