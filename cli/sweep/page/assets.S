/* What a report has inside, as bytes of the command, in the order in which a page has it: cli/sweep/report_assets.c. */
    .section .rodata
    .global report_style, report_style_end, report_library, report_library_end, report_script, report_script_end
report_style:
    .incbin "cli/sweep/page/explore.css"
report_style_end:
report_library:
    .incbin "cli/sweep/page/echarts.min.js"
report_library_end:
report_script:
    .incbin "cli/sweep/page/base.js"
    .incbin "cli/sweep/page/samples.js"
    .incbin "cli/sweep/page/table.js"
    .incbin "cli/sweep/page/charts.js"
    .incbin "cli/sweep/page/pivot.js"
    .incbin "cli/sweep/page/points.js"
    .incbin "cli/sweep/page/kernels.js"
    .incbin "cli/sweep/page/start.js"
report_script_end:
    .section .note.GNU-stack, "", %progbits
