/* The font's files as bytes of the command: viz/draw/glyphs.c. */
    .section .rodata
    .balign 16
    .global viz_font_regular, viz_font_regular_end, viz_font_medium, viz_font_medium_end
viz_font_regular:
    .incbin "viz/font/Roboto-Regular.ttf"
viz_font_regular_end:
    .balign 16
viz_font_medium:
    .incbin "viz/font/Roboto-Medium.ttf"
viz_font_medium_end:
    .section .note.GNU-stack, "", %progbits
