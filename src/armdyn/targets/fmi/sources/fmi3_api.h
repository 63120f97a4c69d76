/* The types of FMI 3.0 that an FMU needs, by the names of the standard (https://fmi-standard.org). */
#ifndef FMI3_API_H
#define FMI3_API_H

#ifdef FMI3_STANDARD_HEADER /* the Modelica Association's own header, in the place of these declarations */
#include FMI3_STANDARD_HEADER
#define FMI(name) FMI3_Export fmi3Status fmi3##name
#define FMI_OTHER(type, name) FMI3_Export type fmi3##name
#else

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef void *fmi3Instance;
typedef void *fmi3InstanceEnvironment;
typedef void *fmi3FMUState;
typedef uint32_t fmi3ValueReference;
typedef float fmi3Float32;
typedef double fmi3Float64;
typedef int8_t fmi3Int8;
typedef uint8_t fmi3UInt8;
typedef int16_t fmi3Int16;
typedef uint16_t fmi3UInt16;
typedef int32_t fmi3Int32;
typedef uint32_t fmi3UInt32;
typedef int64_t fmi3Int64;
typedef uint64_t fmi3UInt64;
typedef bool fmi3Boolean;
typedef char fmi3Char;
typedef const fmi3Char *fmi3String;
typedef uint8_t fmi3Byte;
typedef const fmi3Byte *fmi3Binary;
typedef bool fmi3Clock;

typedef enum { fmi3OK, fmi3Warning, fmi3Discard, fmi3Error, fmi3Fatal } fmi3Status;
typedef enum {
    fmi3Independent,
    fmi3Constant,
    fmi3Fixed,
    fmi3Tunable,
    fmi3Discrete,
    fmi3Dependent
} fmi3DependencyKind;
typedef enum { fmi3IntervalNotYetKnown, fmi3IntervalUnchanged, fmi3IntervalChanged } fmi3IntervalQualifier;

typedef void (*fmi3LogMessageCallback)(
    fmi3InstanceEnvironment environment, fmi3Status status, fmi3String category, fmi3String message);
typedef void (*fmi3ClockUpdateCallback)(fmi3InstanceEnvironment environment);
typedef void (*fmi3IntermediateUpdateCallback)(
    fmi3InstanceEnvironment environment,
    fmi3Float64 time,
    fmi3Boolean set_requested,
    fmi3Boolean get_allowed,
    fmi3Boolean step_finished,
    fmi3Boolean can_return_early,
    fmi3Boolean *early_return_requested,
    fmi3Float64 *early_return_time);
typedef void (*fmi3LockPreemptionCallback)(void);
typedef void (*fmi3UnlockPreemptionCallback)(void);

#if defined(_WIN32)
#define FMI3_EXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define FMI3_EXPORT __attribute__((visibility("default")))
#else
#define FMI3_EXPORT
#endif

/* Where several FMUs are linked into one program, FMI3_FUNCTION_PREFIX tells their functions apart. */
#ifdef FMI3_FUNCTION_PREFIX
#define FMI_PASTED(prefix, name) prefix##fmi3##name
#define FMI_NAMED(prefix, name) FMI_PASTED(prefix, name)
#define FMI_NAME(name) FMI_NAMED(FMI3_FUNCTION_PREFIX, name)
#else
#define FMI_NAME(name) fmi3##name
#endif

#define FMI_OTHER(type, name)                                                                                          \
    FMI3_EXPORT type FMI_NAME(name)
#define FMI(name) FMI_OTHER(fmi3Status, name)

#endif

/* Declares a function and begins its definition. */
#define DEFINE(name, arguments)                                                                                        \
    FMI(name) arguments;                                                                                               \
    FMI(name) arguments
#define DEFINE_OTHER(type, name, arguments)                                                                            \
    FMI_OTHER(type, name) arguments;                                                                                   \
    FMI_OTHER(type, name) arguments

#endif
