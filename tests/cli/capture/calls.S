# 40,001 system calls in 160,004 instructions: getpid each time, then exit. What tells of a call is several words, which anything that
# reads them by pieces must not tear.
    .globl _start
_start:
    mov $40000, %ebx
1:  mov $39, %eax
    syscall
    dec %ebx
    jnz 1b
    mov $60, %eax
    xor %edi, %edi
    syscall
