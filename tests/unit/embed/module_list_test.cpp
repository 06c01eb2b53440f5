// SPDX-License-Identifier: Apache-2.0
#include "backend/embed/module_list.h"

#include <QTemporaryDir>
#include <QTest>

#include <fstream>

using namespace divisi::embed;

/// The list of modules that an embedded cluster follows.
class ModuleListTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void without_a_file_it_is_empty();
    void what_is_written_is_read();
    void lines_that_are_none_are_left_out();
    void a_shorter_list_leaves_nothing_of_the_longer();

private:
    QTemporaryDir folder_;
    std::filesystem::path data() const { return folder_.path().toStdString(); }
};

void ModuleListTest::without_a_file_it_is_empty() { QVERIFY(listed_modules("/nowhere").empty()); }

void ModuleListTest::what_is_written_is_read() {
    const ListedModule one{7, "link-trend", "/a folder/program", {"--horizon", "4", ""}};
    QVERIFY(change_modules(data(), [&](auto& modules) { modules = {one, {8, "other", "/p", {}}}; }).ok());
    QCOMPARE(listed_modules(data()).size(), std::size_t{2});
    QVERIFY(listed_modules(data())[0] == one);
}

void ModuleListTest::lines_that_are_none_are_left_out() {
    std::ofstream(data() / "modules.list") << "7\tname\n\nx\tname\t/p\n9\tname\t/p\n8x\tname\t/p\n";
    const auto modules = listed_modules(data());
    QCOMPARE(modules.size(), std::size_t{1});
    QCOMPARE(modules[0].number, std::uint64_t{9});
}

void ModuleListTest::a_shorter_list_leaves_nothing_of_the_longer() {
    QVERIFY(change_modules(data(), [](auto& modules) { modules.assign(9, {1, "a-long-name", "/program", {}}); }).ok());
    QVERIFY(change_modules(data(), [](auto& modules) { modules.resize(1); }).ok());
    QCOMPARE(listed_modules(data()).size(), std::size_t{1});
}

QTEST_APPLESS_MAIN(ModuleListTest)
#include "module_list_test.moc"
