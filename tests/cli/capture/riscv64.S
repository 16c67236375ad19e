# Each instruction, and after #: its accesses: load or store, bytes from buf, bytes.
    .globl _start
    .option arch, +a, +c
    .text
_start:
2:  auipc a1, %pcrel_hi(buf)
    addi a1, a1, %pcrel_lo(2b)
    ld a0, 0(a1)                    #: load 0 8
    lbu a0, 8(a1)                   #: load 8 1
    lhu a0, 16(a1)                  #: load 16 2
    lw a0, 24(a1)                   #: load 24 4
    sd a0, 32(a1)                   #: store 32 8
    sb a0, 40(a1)                   #: store 40 1
    sh a0, 48(a1)                   #: store 48 2
    sw a0, 56(a1)                   #: store 56 4
    fld fa0, 0(a1)                  #: load 0 8
    fsw fa0, 64(a1)                 #: store 64 4
1:  lr.d a0, (a1)                   #: load 0 8
    sc.d a2, a0, (a1)               #: store 0 8
    bnez a2, 1b
    amoadd.d a0, a2, (a1)           #: load 0 8 store 0 8
    amoswap.w a0, a2, (a1)          #: load 0 4 store 0 4
    li a0, 0
    li a7, 93
    ecall
    .data
    .balign 64
buf: .skip 4096
