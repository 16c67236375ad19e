// A copy of the shared object for each system of the process, so that two systems share no global of a module, while
// the caches of one system do, as in ChampSim.
//
// RUBATO_PRIVATE_MODULE(...) exports two modules: rubato_module_here, with the given members, and rubato_module, whose
// `create` loads the file again for a system that it does not know yet; all calls go on to that copy. A copy is closed
// with its last instance. (dlmopen has some dozen namespaces at most; here each copy is an unnamed file of memory.)
#ifndef RUBATO_PRIVATE_H
#define RUBATO_PRIVATE_H

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <rubato_policy.h>

namespace rubato_private {

struct copy {
    std::uint64_t system;
    unsigned instances;
    void *library;
    int file;                            // open while it is loaded: the loader knows objects by their names
    const rubato_module *module;
};

struct instance {
    copy *of;
    void *self;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static std::vector<copy *> copies;

struct guard {
    guard() { pthread_mutex_lock(&lock); }
    ~guard() { pthread_mutex_unlock(&lock); }
};

// This object, opened when it was loaded: what is put in its place afterwards is another module. A copy needs none.
inline int open_this()
{
    static const char anchor = 0;
    Dl_info about;

    if (dladdr(&anchor, &about) == 0 || std::strncmp(about.dli_fname, "/proc/self/fd/", 14) == 0)
        return -1;
    return open(about.dli_fname, O_RDONLY | O_CLOEXEC);
}

static const int original = open_this();

inline bool fill_copy(int file)
{
    char bytes[1 << 16];
    ssize_t count;

    for (off_t at = 0; (count = pread(original, bytes, sizeof bytes, at)) > 0; at += count)
        for (ssize_t done = 0; done < count;) {
            ssize_t const written = write(file, bytes + done, static_cast<std::size_t>(count - done));

            if (written <= 0)
                return false;
            done += written;
        }
    return count == 0;
}

inline copy *load(std::uint64_t system, const char *name)
{
    char path[64];
    int const file = memfd_create(name, MFD_CLOEXEC);
    void *library = nullptr;
    const void *symbol;

    if (file >= 0 && fill_copy(file)) {
        std::snprintf(path, sizeof path, "/proc/self/fd/%d", file);
        library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    }
    symbol = library ? dlsym(library, "rubato_module_here") : nullptr;
    if (symbol)
        return new copy{system, 0, library, file, static_cast<const rubato_module *>(symbol)};
    std::fprintf(stderr, "%s: no copy for a system could be loaded: %s\n", name, dlerror());
    if (library)
        dlclose(library);
    if (file >= 0)
        close(file);
    return nullptr;
}

inline void release(copy *one)
{
    guard const held;
    char path[64];

    if (--one->instances > 0)
        return;
    for (std::size_t i = 0; i < copies.size(); i++)
        if (copies[i] == one)
            copies.erase(copies.begin() + static_cast<std::ptrdiff_t>(i--));
    std::snprintf(path, sizeof path, "/proc/self/fd/%d", one->file);
    dlclose(one->library);
    if (!dlopen(path, RTLD_NOW | RTLD_NOLOAD))
        close(one->file);
    delete one;
}

inline copy *take(std::uint64_t system, const char *name)
{
    guard const held;
    copy *one = nullptr;

    for (copy *known : copies)
        if (known->system == system)
            one = known;
    if (!one && (one = load(system, name)))
        copies.push_back(one);
    if (one)
        one->instances++;
    return one;
}

static const char *name_of_this = nullptr;

inline void *create(const rubato_host *host, const rubato_place *place, const rubato_value *values,
                    std::uint64_t *counters)
{
    copy *const of = take(place->system, name_of_this);
    void *const self = of ? of->module->create(host, place, values, counters) : nullptr;

    if (self)
        return new instance{of, self};
    if (of)
        release(of);
    return nullptr;
}

inline const rubato_module *module_of(void *self) { return static_cast<instance *>(self)->of->module; }
inline void *self_of(void *self) { return static_cast<instance *>(self)->self; }

inline void destroy(void *self)
{
    if (module_of(self)->destroy)
        module_of(self)->destroy(self_of(self));
    release(static_cast<instance *>(self)->of);
    delete static_cast<instance *>(self);
}

inline void warmup_end(void *self) { module_of(self)->warmup_end(self_of(self)); }
inline void run_end(void *self) { module_of(self)->run_end(self_of(self)); }

// A function of a kind: the same of the copy.
#define RUBATO_PASS(kind, function)                                                                                    \
    template <typename R, typename... A> R pass_##kind##_##function(void *self, A... arguments)                        \
    {                                                                                                                  \
        return module_of(self)->kind->function(self_of(self), arguments...);                                           \
    }                                                                                                                  \
    template <typename R, typename... A>                                                                               \
    void set_##kind##_##function(R (*&outer)(void *, A...))                                                            \
    {                                                                                                                  \
        if (outer)                                                                                                     \
            outer = pass_##kind##_##function<R, A...>;                                                                 \
    }
RUBATO_PASS(prefetcher, access)
RUBATO_PASS(prefetcher, fill)
RUBATO_PASS(prefetcher, evicted)
RUBATO_PASS(prefetcher, cycle)
RUBATO_PASS(prefetcher, branch)
RUBATO_PASS(replacement, access)
RUBATO_PASS(replacement, victim)
RUBATO_PASS(replacement, fill)
RUBATO_PASS(replacement, evicted)
RUBATO_PASS(direction, predict)
RUBATO_PASS(direction, train)
RUBATO_PASS(btb, predict)
RUBATO_PASS(btb, update)
RUBATO_PASS(btb, train)
#undef RUBATO_PASS

inline rubato_module outer(const rubato_module &here)
{
    static rubato_prefetcher prefetcher;
    static rubato_replacement replacement;
    static rubato_direction direction;
    static rubato_btb btb;
    rubato_module module = here;

    name_of_this = here.name;
    module.create = create;
    module.destroy = destroy;
    module.warmup_end = here.warmup_end ? warmup_end : nullptr;
    module.run_end = here.run_end ? run_end : nullptr;
    if (here.prefetcher) {
        prefetcher = *here.prefetcher;
        set_prefetcher_access(prefetcher.access), set_prefetcher_fill(prefetcher.fill);
        set_prefetcher_evicted(prefetcher.evicted), set_prefetcher_cycle(prefetcher.cycle);
        set_prefetcher_branch(prefetcher.branch);
        module.prefetcher = &prefetcher;
    }
    if (here.replacement) {
        replacement = *here.replacement;
        set_replacement_access(replacement.access), set_replacement_victim(replacement.victim);
        set_replacement_fill(replacement.fill), set_replacement_evicted(replacement.evicted);
        module.replacement = &replacement;
    }
    if (here.direction) {
        direction = *here.direction;
        set_direction_predict(direction.predict), set_direction_train(direction.train);
        module.direction = &direction;
    }
    if (here.btb) {
        btb = *here.btb;
        set_btb_predict(btb.predict), set_btb_update(btb.update), set_btb_train(btb.train);
        module.btb = &btb;
    }
    return module;
}

}  // namespace rubato_private

#define RUBATO_PRIVATE_MODULE(...)                                                                                     \
    RUBATO_EXPORT const struct rubato_module rubato_module_here = {__VA_ARGS__};                                       \
    RUBATO_EXPORT const struct rubato_module rubato_module = rubato_private::outer(rubato_module_here);

#endif
