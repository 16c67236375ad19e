# Exactly known counts: 1000 rounds of 10 instructions with a load of 1, 2, 4 and 8 bytes and a store of each, besides 6 others;
# then an instruction that crosses a page in the middle of a block, 100 times.
    .globl _start, round, crossing, done
    .text
_start:
    lea data(%rip), %rbx
    mov $1000, %ecx
round:
    mov (%rbx), %al
    mov %al, 8(%rbx)
    mov 16(%rbx), %ax
    mov %ax, 24(%rbx)
    mov 32(%rbx), %eax
    mov %eax, 40(%rbx)
    mov 48(%rbx), %rax
    mov %rax, 56(%rbx)
    dec %ecx
    jnz round
    mov $100, %edx
    jmp crossing
    .balign 4096
    .skip 4096 - 8
crossing:
    nop
    nop
    nop
    nop
    nop
    movl $0x12345678, 64(%rbx)
    dec %edx
    jnz crossing
done:
    mov $60, %eax
    mov $3, %edi
    syscall
    .data
    .balign 64
data: .skip 256
