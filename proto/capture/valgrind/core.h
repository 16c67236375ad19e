/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The part of Valgrind 3.19 that the tool uses: the headers for tools, and four names of the core that those do not
 * declare. */
#ifndef CAPTURE_VALGRIND_CORE_H
#define CAPTURE_VALGRIND_CORE_H

#include <pub_tool_basics.h>
#include <pub_tool_aspacemgr.h>
#include <pub_tool_libcassert.h>
#include <pub_tool_libcbase.h>
#include <pub_tool_libcfile.h>
#include <pub_tool_libcprint.h>
#include <pub_tool_libcproc.h>
#include <pub_tool_machine.h>
#include <pub_tool_mallocfree.h>
#include <pub_tool_options.h>
#include <pub_tool_threadstate.h>
#include <pub_tool_tooliface.h>
#include <pub_tool_vki.h>
#include <pub_tool_vkiscnums.h>

#include <libvex_guest_amd64.h>

/* Maps a file for the tool, shared; sr_Res: the address. */
extern SysRes VG_(am_shared_mmap_file_float_valgrind)(SizeT bytes, UInt protection, Int file, Off64T offset);
extern SysRes VG_(do_syscall)(UWord number, UWord a1, UWord a2, UWord a3, UWord a4, UWord a5, UWord a6, UWord a7,
                              UWord a8);
extern Bool VG_(clo_trace_children);     /* does the tool stay active in the program that exec starts? */
extern Int VG_(cl_exec_fd);              /* the program's file */

#endif
