// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QCoreApplication>
#include <QTest>

#include <string_view>

namespace divisi::testing {

/// Runs one test class with the arguments that Qt Test knows; returns the number of failed test functions.
using RunTests = int (*)(int argc, char** argv);

/// Registers a test class in the program that it is linked into, by its name without namespaces. If a name is in two
/// files of a program, the program ends before any test runs.
class TestClass {
public:
    TestClass(std::string_view name, RunTests run);
};

template <typename Test, typename Application>
int run_tests(int argc, char** argv) {
    QTest::Internal::callInitMain<Test>();
    Application application(argc, argv);
    application.setAttribute(Qt::AA_Use96Dpi, true);  // texts are as wide on every screen
    Test test;
    return QTest::qExec(&test, argc, argv);
}

}  // namespace divisi::testing

/// Registers a class whose tests need no window, such as DIVISI_TEST(DrainsTest).
#define DIVISI_TEST(name) \
    static const divisi::testing::TestClass name##_entry(#name, divisi::testing::run_tests<name, QCoreApplication>);

#ifdef QT_WIDGETS_LIB
#include <QApplication>
/// Registers a class whose tests show windows.
#define DIVISI_WINDOW_TEST(name) \
    static const divisi::testing::TestClass name##_entry(#name, divisi::testing::run_tests<name, QApplication>);
#endif
