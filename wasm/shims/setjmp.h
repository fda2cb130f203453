/* WebAssembly has no longjmp before LLVM 19. What the library needs it for is to give up where memory runs out: then
 * the host is told, which throws the whole engine away and makes another from the compiled module. */
#ifndef TRAMMEL_WASM_SETJMP_H
#define TRAMMEL_WASM_SETJMP_H

typedef int jmp_buf[1];
#define setjmp(here) ((void)(here), 0)
_Noreturn void longjmp(jmp_buf here, int value);

#endif
