/* The least that main() needs on the emulated board: a stack, the floating-point unit, output by semihosting. */
#include <stdint.h>
#include <stdlib.h>

int main(void);
void initialise_monitor_handles(void);
extern uint32_t top_of_stack;

void _init(void); /* which the C library calls, and the start files left out would define */
void _fini(void);

void _init(void) {}
void _fini(void) {}

static void reset(void)
{
    *(volatile uint32_t *)0xE000ED88u |= 0xFu << 20; /* CPACR: access to the floating-point unit */
    __asm volatile("dsb\n\tisb");
    initialise_monitor_handles();
    exit(main());
}

static void fault(void)
{
    _Exit(3);
}

__attribute__((section(".vectors"), used)) static void (*const vectors[])(void) = {
    (void (*)(void)) & top_of_stack, reset, fault, fault, fault, fault, fault};
