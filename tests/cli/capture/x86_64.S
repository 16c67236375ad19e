# Each instruction, and after #: the accesses of each of its executions: load or store, where, bytes. Where: bytes from buf, or sp
# for any place of the stack; | is a further iteration.
    .globl _start
    .text
_start:
    lea buf(%rip), %rbx
    mov (%rbx), %rax                #: load 0 8
    mov %eax, 8(%rbx)               #: store 8 4
    mov %ax, 16(%rbx)               #: store 16 2
    mov %al, 24(%rbx)               #: store 24 1
    movups (%rbx), %xmm0            #: load 0 16
    movups %xmm0, 32(%rbx)          #: store 32 16
    vmovups (%rbx), %ymm1           #: load 0 32
    vmovups %ymm1, 64(%rbx)         #: store 64 32
    push %rax                       #: store sp 8
    pop %rcx                        #: load sp 8
    pushq (%rbx)                    #: load 0 8 store sp 8
    popq 8(%rbx)                    #: load sp 8 store 8 8
    addl $1, (%rbx)                 #: load 0 4 store 0 4
    lock addl $1, (%rbx)            #: load 0 4 store 0 4
    xchg %rax, (%rbx)               #: load 0 8 store 0 8
    lock cmpxchg %rcx, (%rbx)       #: load 0 8 store 0 8
    cmpxchg16b (%rbx)               #: load 0 16 store 0 16
    movb $16, %cl
    bt %rcx, (%rbx)                 #: load 0 8
    bts %rcx, (%rbx)                #: load 0 8 store 0 8
    mov $5, %ecx
    lea buf+128(%rip), %rdi
    lea buf+256(%rip), %rsi
    rep movsb                       #: load 256 1 store 128 1 | load 257 1 store 129 1 | load 258 1 store 130 1 | load 259 1 store 131 1 | load 260 1 store 132 1
    mov $0, %ecx
    rep stosq
    mov $3, %ecx
    rep stosq                       #: store 133 8 | store 141 8 | store 149 8
    mov $4, %ecx
    lea buf(%rip), %rdi
    lea buf+64(%rip), %rsi
    repe cmpsb                      #: load 0 1 load 64 1
    movsq                           #: load 65 8 store 1 8
    fildl (%rbx)                    #: load 0 4
    fstpt 96(%rbx)                  #: store 96 10
    prefetcht0 (%rbx)               # Of a register that QEMU's plugin knows nothing of
    lea 8(%rbx), %rdx
    mov (%rbx), %rax                #: load 0 8
    prefetcht0 64(%rbx)             #: load 64 1
    prefetchnta (%rdx)              #: load 8 1
    prefetchw buf+12(%rip)          #: load 12 1
    cmovz (%rbx), %rax              #: load 0 8
    call f                          #: store sp 8
    call *fp(%rip)                  #: load fp 8 store sp 8
    enter $16, $0                   #: store sp 8
    leave                           #: load sp 8
    paddd (%rbx), %xmm0             #: load 0 16
    movq (%rbx), %xmm0              #: load 0 8
    jmp 1f                          # From here on accesses that begin blocks
1:  addl $1, (%rbx)                 #: load 0 4 store 0 4
    jmp 1f
1:  adcl $1, 8(%rbx)                #: load 8 4 store 8 4
    jmp 1f
1:  cmovz 16(%rbx), %rax            #: load 16 8
    jmp 1f
1:  setz 24(%rbx)                   #: store 24 1
    jmp 1f
1:  movups (%rbx), %xmm0            #: load 0 16
    jmp 1f
1:  movups %xmm0, 32(%rbx)          #: store 32 16
    inc %rbx
    mov 31(%rbx), %ax               #: load 32 2
    dec %rbx
    lea f(%rip), %rdx
    call *%rdx                      #: store sp 8
    call *fp(%rip)                  #: load fp 8 store sp 8
    pop %rcx                        #: load sp 8
    push %rcx                       #: store sp 8
    call *%rdx                      #: store sp 8
    maskmovdqu %xmm0, %xmm1
    vpgatherdd %xmm2, (%rbx,%xmm3,1), %xmm4
    mov $60, %eax
    xor %edi, %edi
    syscall
f:  ret                             #: load sp 8
    .data
    .balign 64
fp: .quad f
    .balign 64
buf: .skip 4096
