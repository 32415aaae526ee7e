# Reference data kept beside the source tree.
add_library(regressd_test_shared_data STATIC shared_data.cc)
target_link_libraries(regressd_test_shared_data PUBLIC nlohmann_json::nlohmann_json GTest::gtest
  PRIVATE regressd_flags)
target_include_directories(regressd_test_shared_data PUBLIC ${CMAKE_SOURCE_DIR})
target_compile_definitions(regressd_test_shared_data PRIVATE REGRESSD_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
