// Each instruction, and after #: its accesses: load or store, bytes from buf, bytes.
    .globl _start
    .text
_start:
    adrp x1, buf
    add x1, x1, :lo12:buf
    ldr x0, [x1]                    //#: load 0 8
    ldrb w0, [x1, #8]               //#: load 8 1
    ldrh w0, [x1, #16]              //#: load 16 2
    ldr w0, [x1, #24]               //#: load 24 4
    str x0, [x1, #32]               //#: store 32 8
    ldp x2, x3, [x1]                //#: load 0 16
    stp x2, x3, [x1, #48]           //#: store 48 16
    ldp w2, w3, [x1]                //#: load 0 8
    ldr q0, [x1]                    //#: load 0 16
    str q0, [x1, #64]               //#: store 64 16
    ldp q0, q1, [x1]                //#: load 0 32
    stp q0, q1, [x1, #128]          //#: store 128 32
    ld1 {v0.16b-v3.16b}, [x1]       //#: load 0 64
    st2 {v0.4s, v1.4s}, [x1]        //#: store 0 32
    ldr x0, [x1], #8                //#: load 0 8
    str x0, [x1, #-8]!              //#: store 0 8
1:  ldaxr x0, [x1]                  //#: load 0 8
    stlxr w2, x0, [x1]              //#: store 0 8
    cbnz w2, 1b
    ldadd x0, x2, [x1]              //#: load 0 8 store 0 8
    cas x0, x2, [x1]                //#: load 0 8 store 0 8
    swp x0, x2, [x1]                //#: load 0 8 store 0 8
    ldar x0, [x1]                   //#: load 0 8
    stlr x0, [x1]                   //#: store 0 8
    dc zva, x1                      //#: store 0 64
    prfm pldl1keep, [x1]            //#: load 0 1
    add x2, x1, #64
    prfm pstl1strm, [x2, #16]       //#: load 80 1
    prfum pldl2keep, [x1, #1]       //#: load 1 1
    prfm pldl1keep, [x1, x0]        // Of two registers: not known
    mov x0, #0
    mov x8, #93
    svc #0
    .data
    .balign 64
buf: .skip 4096
