# install() and the package slicepoolConfig.cmake behind find_package(slicepool).
# Included last by the top CMakeLists.txt, when every target exists.

include(CMakePackageConfigHelpers)

set(packageDirectory "${CMAKE_INSTALL_LIBDIR}/cmake/slicepool")
set(exportedTargets slicepool_headers slicepool_core slicepool_cpu)
if(SLICEPOOL_HAVE_CUDA)
  list(APPEND exportedTargets slicepool_cuda)
endif()

install(TARGETS ${exportedTargets} EXPORT slicepoolTargets ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(EXPORT slicepoolTargets NAMESPACE slicepool:: DESTINATION "${packageDirectory}")
configure_package_config_file(cmake/slicepoolConfig.cmake.in "${PROJECT_BINARY_DIR}/slicepoolConfig.cmake"
                              INSTALL_DESTINATION "${packageDirectory}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/slicepoolConfigVersion.cmake"
                                 COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/slicepoolConfig.cmake" "${PROJECT_BINARY_DIR}/slicepoolConfigVersion.cmake"
              cmake/SlicepoolCudaDialect.cmake
        DESTINATION "${packageDirectory}")

install(DIRECTORY include/slicepool DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h"
        PATTERN "cuda" EXCLUDE)
install(DIRECTORY "${PROJECT_BINARY_DIR}/generated/slicepool" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
        FILES_MATCHING PATTERN "*.hpp")
if(SLICEPOOL_HAVE_CUDA)
  install(DIRECTORY include/slicepool/cuda DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/slicepool"
          FILES_MATCHING PATTERN "*.cuh" PATTERN "*.hpp")
  install(DIRECTORY kernels/core/ DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/slicepool/detail/cuda"
          FILES_MATCHING PATTERN "*.cuh" PATTERN "*.hpp")
endif()

if(TARGET slicepool_mpi)   # where the program looks for it: ../lib/slicepool beside its own folder
  install(TARGETS slicepool_mpi LIBRARY DESTINATION lib/slicepool)
endif()
if(TARGET slicepool_fplll)
  install(TARGETS slicepool_fplll LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
  install(FILES plugins/fplll/slicepool_fplll.h DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
endif()
install(DIRECTORY configs/ DESTINATION "${CMAKE_INSTALL_DATADIR}/slicepool/configs" FILES_MATCHING PATTERN "*.json")
if(TARGET slicepool)
  install(TARGETS slicepool RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
  install(FILES "${PROJECT_BINARY_DIR}/share/slicepool.1" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
  install(FILES "${PROJECT_BINARY_DIR}/share/slicepool.bash" RENAME slicepool
          DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
  install(FILES "${PROJECT_BINARY_DIR}/share/_slicepool" DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/site-functions")
  install(FILES "${PROJECT_BINARY_DIR}/share/slicepool.fish"
          DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
  install(FILES LICENSE README.md DESTINATION "${CMAKE_INSTALL_DOCDIR}" OPTIONAL)
endif()
