# Two programs that count: vernier itself (cases/growth), and all fuzz targets in one (growth/...).
get_property(names GLOBAL PROPERTY vernier_fuzz_names)
list(REMOVE_ITEM names escape writers)  # they read no input: each byte is a text for all writers
file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/*.c ${CMAKE_SOURCE_DIR}/renderers/*.c)
list(REMOVE_ITEM sources ${CMAKE_SOURCE_DIR}/src/main.c)

function(vernier_counted_objects name)
    add_library(${name} OBJECT ${ARGN})
    target_compile_definitions(${name} PRIVATE _POSIX_C_SOURCE=200809L
        VERNIER_VERSION="${PROJECT_VERSION}" VERNIER_COMMIT="counted")
    target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/tests
        ${CMAKE_CURRENT_BINARY_DIR})
    target_link_libraries(${name} PRIVATE PkgConfig::CAIRO PkgConfig::PANGOCAIRO PkgConfig::PNG PkgConfig::XLSXWRITER
        PkgConfig::CJSON PkgConfig::YAML PkgConfig::ZIP PkgConfig::EXPAT PkgConfig::SQLITE PkgConfig::DEFLATE)
    target_compile_options(${name} PRIVATE -O1 -g0 -ffp-contract=off)
    add_dependencies(${name} vernier_templates)
endfunction()

vernier_counted_objects(counted_sources ${sources} ${CMAKE_BINARY_DIR}/templates/templates.c)
set_source_files_properties(${CMAKE_BINARY_DIR}/templates/templates.c PROPERTIES GENERATED TRUE)
# No builtin: a call of memcpy stays one that is seen.
target_compile_options(counted_sources PRIVATE -fsanitize-coverage=trace-pc -fno-builtin)

set(list "")
foreach(name IN LISTS names)
    vernier_counted_objects(counted_${name} fuzz/fuzz_${name}.c)
    string(APPEND list "TARGET(${name})\n")
    list(APPEND targets $<TARGET_OBJECTS:counted_${name}>)
endforeach()
file(CONFIGURE OUTPUT growth_targets.h CONTENT "${list}")
vernier_counted_objects(counted_growth growth/growth.c)
vernier_counted_objects(counted_counter growth/counter.c)

function(vernier_counting name)
    add_executable(${name} ${ARGN} $<TARGET_OBJECTS:counted_sources> $<TARGET_OBJECTS:counted_counter>)
    target_link_libraries(${name} PRIVATE PkgConfig::CAIRO PkgConfig::PANGOCAIRO PkgConfig::PNG PkgConfig::XLSXWRITER
        PkgConfig::CJSON PkgConfig::YAML PkgConfig::ZIP PkgConfig::EXPAT PkgConfig::SQLITE PkgConfig::DEFLATE ZLIB::ZLIB Threads::Threads m)
    target_link_options(${name} PRIVATE -Wl,--wrap=memcpy,--wrap=memmove,--wrap=memset,--wrap=memcmp,--wrap=strlen,--wrap=memchr)
endfunction()
vernier_counting(growth $<TARGET_OBJECTS:counted_growth> ${targets})
vernier_counted_objects(counted_main ${CMAKE_SOURCE_DIR}/src/main.c)
vernier_counting(vernier_counted $<TARGET_OBJECTS:counted_main>)

foreach(name IN LISTS names)
    add_test(NAME growth/${name} COMMAND growth ${name} ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/corpus/${name}
        WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/scratch)
endforeach()
add_test(NAME cases/growth COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/cases/growth.py)
set_tests_properties(cases/growth PROPERTIES ENVIRONMENT "VERNIER=$<TARGET_FILE:vernier_counted>;PYTHONDONTWRITEBYTECODE=1")
