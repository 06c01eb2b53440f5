// SPDX-License-Identifier: Apache-2.0
#include "backend/embed/module_list.h"

#include <QTemporaryDir>

#include <fstream>

#include "tests/support/test_program.h"

namespace module_list_test {

using namespace divisi::embed;

/// Tests the list of modules of an embedded cluster.
class ModuleListTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void modules_are_numbered_and_removed_by_identity();
    void unreadable_entry_is_refused();
    void missing_file_gives_an_empty_list();
    void written_list_reads_back();
    void one_version_is_removed_and_others_stay();
    void malformed_lines_are_skipped();
    void shorter_list_overwrites_the_longer_completely();

private:
    QTemporaryDir folder_;
    std::filesystem::path data() const { return folder_.path().toStdString(); }
};

void ModuleListTest::missing_file_gives_an_empty_list() { QVERIFY(listed_modules("/nowhere").empty()); }

void ModuleListTest::written_list_reads_back() {
    const ListedModule one{7, "link-trend", "/a folder/program", {"--horizon", "4", ""}};
    QVERIFY(change_modules(data(), [&](auto& modules) { modules = {one, {8, "other", "/p", {}}}; }).ok());
    QCOMPARE(listed_modules(data()).size(), std::size_t{2});
    QVERIFY(listed_modules(data())[0] == one);
}

void ModuleListTest::one_version_is_removed_and_others_stay() {
    QVERIFY(change_modules(data(), [](auto& modules) {
                modules = {{1, "trend", "/t", {}}, {2, "trend", "/t", {"--damping", "0.9"}}, {3, "other", "/o", {}}};
            }).ok());
    QVERIFY(note_version(data(), 1, "1-holt").ok());
    QVERIFY(note_version(data(), 2, "2-damped").ok());
    QVERIFY(note_version(data(), 3, "1-holt").ok());
    QVERIFY(!note_version(data(), 3, "1\tholt").ok());
    const auto listed = listed_modules(data());
    QCOMPARE(listed.size(), std::size_t{3});
    QCOMPARE(listed[0].version, std::string("1-holt"));
    QCOMPARE(listed[1].arguments, (std::vector<std::string>{"--damping", "0.9"}));
    QCOMPARE(*unlist_stopped(data(), "trend", "7"), std::size_t{0});
    QCOMPARE(*unlist_stopped(data(), "trend", "1-holt"), std::size_t{1});
    QCOMPARE(listed_modules(data()).size(), std::size_t{2});
    QCOMPARE(*unlist_stopped(data(), "trend", ""), std::size_t{1});
    QCOMPARE(listed_modules(data()).at(0).name, std::string("other"));
}

void ModuleListTest::malformed_lines_are_skipped() {
    std::ofstream(data() / "modules.list") << "7\tname\n\nx\tname\t/p\n9\tname\t/p\n8x\tname\t/p\n";
    const auto modules = listed_modules(data());
    QCOMPARE(modules.size(), std::size_t{1});
    QCOMPARE(modules[0].number, std::uint64_t{9});
}

void ModuleListTest::shorter_list_overwrites_the_longer_completely() {
    QVERIFY(change_modules(data(), [](auto& modules) { modules.assign(9, {1, "a-long-name", "/program", {}}); }).ok());
    QVERIFY(change_modules(data(), [](auto& modules) { modules.resize(1); }).ok());
    QCOMPARE(listed_modules(data()).size(), std::size_t{1});
}

void ModuleListTest::modules_are_numbered_and_removed_by_identity() {
    QVERIFY(change_modules(data(), [](auto& modules) { modules = {{4, "old", "/o", {}}}; }).ok());
    const auto first = list_module(data(), {0, "trend", "/t", {"--damping", "0.9"}});
    const auto second = list_module(data(), {0, "trend", "/t", {}});
    QVERIFY(first.ok() && second.ok());
    QVERIFY(*first == 5 && *second == 6);
    QCOMPARE(listed_modules(data())[1].arguments.size(), std::size_t{2});
    const auto left = unlist_modules(data(), [](const ListedModule& one) { return one.name == "trend"; });
    QVERIFY(left.ok() && *left == 2);
    QCOMPARE(listed_modules(data()).size(), std::size_t{1});
}

void ModuleListTest::unreadable_entry_is_refused() {
    const auto size = listed_modules(data()).size();
    for (const ListedModule& bad :
         {ListedModule{0, "", "/t", {}}, ListedModule{0, "a\tb", "/t", {}}, ListedModule{0, "a", "/t", {"one\ntwo"}}}) {
        const auto listed = list_module(data(), bad);
        QVERIFY(!listed.ok() && listed.error().what.find("tab or a new line") != std::string::npos);
    }
    QCOMPARE(listed_modules(data()).size(), size);
    QVERIFY(module_program("tea-leaves", "").error().what == "there is no such program");
    QCOMPARE(*module_program("any", "/bin/sh"), std::string("/bin/sh"));
}

DIVISI_TEST(ModuleListTest)

}  // namespace module_list_test

#include "module_list_test.moc"
