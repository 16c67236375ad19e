# A program that is killed by the signal that cannot be caught, or that sleeps for ever (with SLEEPS), after 3,002 instructions with
# 1,000 stores: getpid, kill, or pause.
    .globl _start
_start:
    lea buf(%rip), %rdi
    mov $1000, %ecx
1:  mov %rcx, (%rdi)
    dec %ecx
    jnz 1b
#ifdef SLEEPS
    mov $34, %eax
    syscall
#else
    mov $39, %eax
    syscall
    mov %eax, %edi
    mov $9, %esi
    mov $62, %eax
    syscall
#endif
2:  jmp 2b
    .bss
buf: .skip 8
