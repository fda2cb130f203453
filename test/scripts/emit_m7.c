/* What comes before main on a Cortex-M7 without a system, as qemu has one (mps2-an500): the vectors, and the
 * FPU. */
extern void _start(void);
static void reset(void) {
    *(volatile unsigned *)0xE000ED88 |= 0xFu << 20; /* CPACR: the FPU */
    __asm__ volatile("dsb\n isb");
    _start();
    for (;;)
        ;
}
__attribute__((section(".isr_vector"), used)) static void (*const vectors[2])(void) = {
    (void (*)(void))0x20400000, reset};
