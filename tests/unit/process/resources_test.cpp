// SPDX-License-Identifier: Apache-2.0
#include "backend/process/resources.h"

#include <QTemporaryDir>
#include <filesystem>

#include "tests/support/test_program.h"

namespace resources_test {

using namespace divisi::process;

/// Tests the search path for samples: installed under any prefix, and in the build tree.
class ResourcesTest : public QObject {
    Q_OBJECT

    std::filesystem::path make(const char* path) const {
        const std::filesystem::path folder = std::filesystem::path(folder_.path().toStdString()) / path;
        std::filesystem::create_directories(folder);
        return folder;
    }
    QTemporaryDir folder_;

private Q_SLOTS:
    void installed_resources_are_found_beside_the_programs() {
        const auto programs = make("usr/bin");
        make("usr/share/divisi/tasks");
        QCOMPARE(resources_of(programs).string(), make("usr/share/divisi").string());
    }
    void build_folder_uses_the_resources_of_its_tree() {
        const auto programs = make("tree/build/release/bin");
        make("tree/resources/tasks");
        QCOMPARE(resources_of(programs).string(), make("tree/resources").string());
    }
    void installed_resources_take_precedence_over_a_surrounding_tree() {
        const auto programs = make("both/out/bin");
        make("both/resources/tasks");
        make("both/out/share/divisi/tasks");
        QCOMPARE(resources_of(programs).string(), make("both/out/share/divisi").string());
    }
    void path_is_empty_without_resources() { QVERIFY(resources_of(make("alone/bin")).empty()); }
    void this_test_uses_the_resources_of_its_tree() {
        QVERIFY(std::filesystem::exists(resources_folder() / "tasks" / "gpt-text.toml"));
    }
};

DIVISI_TEST(ResourcesTest)

}  // namespace resources_test

#include "resources_test.moc"
