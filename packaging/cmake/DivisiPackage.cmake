# SPDX-License-Identifier: Apache-2.0
# Installs all files except the programs, and describes the three Debian packages that `cpack -G DEB` makes:
# divisi-console, divisi-backend, divisi-agents. packaging/deb calls CMake and CPack with the options for them.
option(DIVISI_MANUAL "Make manual pages and shell completion from the --help texts of the programs" OFF)
set(DIVISI_MAINTAINER "Divisi maintainers <maintainers@divisi.invalid>" CACHE STRING
  "Name and address of the publisher of the packages")
set(packaging "${PROJECT_SOURCE_DIR}/packaging")
set(divisi_components backend agents)
if(DIVISI_CONSOLE)
  list(PREPEND divisi_components console)
endif()

foreach(folder tasks clusters samples)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/resources/${folder}" DESTINATION "${CMAKE_INSTALL_DATADIR}/divisi"
    COMPONENT backend PATTERN "*.py" EXCLUDE PATTERN "README.md" EXCLUDE)
endforeach()
foreach(component IN LISTS divisi_components)
  install(FILES "${packaging}/copyright" DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/divisi-${component}"
    COMPONENT ${component})
endforeach()

if(DIVISI_CONSOLE)
  install(FILES "${packaging}/desktop/divisi.desktop" DESTINATION "${CMAKE_INSTALL_DATADIR}/applications"
    COMPONENT console)
  install(FILES "${packaging}/desktop/divisi.metainfo.xml" DESTINATION "${CMAKE_INSTALL_DATADIR}/metainfo"
    COMPONENT console)
  install(FILES "${packaging}/desktop/divisi-mime.xml" DESTINATION "${CMAKE_INSTALL_DATADIR}/mime/packages"
    RENAME divisi.xml COMPONENT console)
  install(FILES "${PROJECT_SOURCE_DIR}/resources/icons/app.svg" RENAME divisi.svg COMPONENT console
    DESTINATION "${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps")
endif()

# divisi_manual_page(<program> <component>): makes a page of packaging/man/<program>.1.in and the program's --help text.
function(divisi_manual_page program component)
  set(page "${CMAKE_BINARY_DIR}/man/${program}.1")
  add_custom_command(OUTPUT "${page}"
    COMMAND Python3::Interpreter "${packaging}/man/page.py" $<TARGET_FILE:${program}> "${packaging}/man/${program}.1.in"
      "${page}"
    DEPENDS ${program} "${packaging}/program_help.py" "${packaging}/man/page.py" "${packaging}/man/${program}.1.in"
    COMMENT "Writing the manual page of ${program}" VERBATIM)
  set_property(GLOBAL APPEND PROPERTY DIVISI_MANUAL_PAGES "${page}")
  install(FILES "${page}" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" COMPONENT ${component})
endfunction()

# divisi_completion(<program> <component>): makes completion for bash and zsh, in the folders where Debian's shells
# look for it.
function(divisi_completion program component)
  set(folder "${CMAKE_BINARY_DIR}/completion")
  set(files "${folder}/${program}" "${folder}/_${program}")
  file(MAKE_DIRECTORY "${folder}")
  set(sources program_help.py completion/completion.py completion/bash.in completion/zsh.in)
  list(TRANSFORM sources PREPEND "${packaging}/")
  add_custom_command(OUTPUT ${files}
    COMMAND Python3::Interpreter "${packaging}/completion/completion.py" $<TARGET_FILE:${program}> ${files}
    DEPENDS ${program} ${sources} COMMENT "Writing the completion of ${program}" VERBATIM)
  add_custom_target(completion ALL DEPENDS ${files})
  install(FILES "${folder}/${program}" DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions"
    COMPONENT ${component})
  install(FILES "${folder}/_${program}" DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions"
    COMPONENT ${component})
endfunction()

if(DIVISI_MANUAL)
  find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter)
  foreach(component IN LISTS divisi_components)
    get_property(programs GLOBAL PROPERTY DIVISI_INSTALLED_${component})
    foreach(program IN LISTS programs)
      divisi_manual_page(${program} ${component})
    endforeach()
  endforeach()
  get_property(pages GLOBAL PROPERTY DIVISI_MANUAL_PAGES)
  add_custom_target(manual ALL DEPENDS ${pages})
  divisi_completion(divisictl backend)
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME divisi)
set(CPACK_PACKAGE_CONTACT "${DIVISI_MAINTAINER}")
set(CPACK_PACKAGE_VENDOR "Divisi")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_DIRECTORY "${CMAKE_BINARY_DIR}/packages")
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL ${divisi_components})
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(same "(= ${PROJECT_VERSION})")
foreach(component IN LISTS divisi_components)
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME divisi-${component})
endforeach()
# A font for Chinese is only suggested, below.
set(CPACK_DEBIAN_CONSOLE_PACKAGE_DEPENDS "divisi-backend ${same}, divisi-agents ${same}, fonts-dejavu-core")
# Without the platform theme, Qt 6.4 does not recognize GNOME's dark style, which the setting "as the system" follows.
set(CPACK_DEBIAN_CONSOLE_PACKAGE_RECOMMENDS "qt6-translations-l10n, qt6-gtk-platformtheme")
set(CPACK_DEBIAN_CONSOLE_PACKAGE_SUGGESTS "fonts-noto-cjk")
# CPack indents the lines after the first line.
set(CPACK_COMPONENT_CONSOLE_DESCRIPTION "Split the training of a model: the console
A window in which the graph of a model is cut by dragging, with the predicted
price of every cut, and in which the segments are run and watched, on this
machine or on a cluster.")
# `divisictl run` without a cluster starts one on this machine, with the programs of divisi-agents.
set(CPACK_DEBIAN_BACKEND_PACKAGE_RECOMMENDS "divisi-agents ${same}")
set(CPACK_DEBIAN_BACKEND_PACKAGE_SUGGESTS "divisi-console, prometheus, bash-completion")
set(CPACK_COMPONENT_BACKEND_DESCRIPTION "Split the training of a model: orchestrator and terminal client
divisid keeps the tasks, plans and log of a cluster; divisictl does from a
terminal what the console does in a window. With sample tasks and their data.")
# Debian's LibTorch also accepts the reference BLAS, but with it matrix products take 15 times as long as with OpenBLAS.
set(CPACK_DEBIAN_AGENTS_PACKAGE_DEPENDS "libopenblas0-pthread")
set(CPACK_DEBIAN_AGENTS_PACKAGE_RECOMMENDS "iproute2")
set(CPACK_COMPONENT_AGENTS_DESCRIPTION "Split the training of a model: what runs on every machine
The node agent, the instances that train, gateways, routers and functional
modules. A machine of a cluster needs this package alone.")
include(CPack)
