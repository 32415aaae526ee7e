# Writes OUTPUT, a .cc that holds FILES (V001__name.sql, in order) as storage::EmbeddedMigrations().
# Run by the build: cmake -DOUTPUT=... "-DFILES=a;b" -P embed_migrations.cmake
set(entries "")
set(expected 1)
foreach(file ${FILES})
  get_filename_component(base ${file} NAME)
  if(NOT base MATCHES "^V0*([1-9][0-9]*)__([a-z0-9_]+)\\.sql$")
    message(FATAL_ERROR "${base}: name a migration V<number>__<name>.sql")
  endif()
  set(version ${CMAKE_MATCH_1})
  set(name ${CMAKE_MATCH_2})
  if(NOT version EQUAL expected)
    message(FATAL_ERROR "${base}: version ${expected} comes next; numbers have no holes and no doubles")
  endif()
  math(EXPR expected "${expected} + 1")
  file(READ ${file} sql)
  string(APPEND entries "    {${version}, \"${name}\", R\"regressd_sql(${sql})regressd_sql\"},\n")
endforeach()
file(WRITE ${OUTPUT} "#include <array>

#include \"storage/migrator.h\"

namespace regressd::storage {
namespace {
const auto kMigrations = std::to_array<Migration>({
${entries}});
}  // namespace

std::span<const Migration> EmbeddedMigrations() { return kMigrations; }

}  // namespace regressd::storage
")
