// SPDX-License-Identifier: Apache-2.0
#include "agents/node/store_folder.h"

#include <QTemporaryDir>
#include <fstream>

#include "tests/support/test_program.h"

namespace store_folder_test {

using namespace divisi;
using namespace divisi::node;
namespace fs = std::filesystem;

/// Tests the folder where a node keeps the stores of its instances.
class StoreFolderTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void a_sid_has_one_file() {
        const QTemporaryDir root;
        const fs::path folder = fs::path(root.path().toStdString()) / "stores";
        const fs::path store = make_store(folder, Sid("gpt-1/stage-0/0"));
        QCOMPARE(store.filename().string(), std::string("gpt-1.stage-0.0.sqlite"));
        QVERIFY(fs::is_directory(folder));
        QVERIFY(make_store(folder, Sid("gpt-1/stage-0/0")) == store);
        QVERIFY(make_store(folder, Sid("../../etc/0")).parent_path() == folder);
    }
    void last_written_stores_are_kept() {
        const QTemporaryDir root;
        const fs::path folder = root.path().toStdString();
        const auto write = [&](const std::string& name, int age_s) {
            std::ofstream(folder / name) << "x";
            fs::last_write_time(folder / name, fs::file_time_type::clock::now() - std::chrono::seconds(age_s));
        };
        for (std::size_t i = 0; i < most_stores; ++i) write("t-" + std::to_string(i) + ".sqlite", 100);
        write("old.sqlite", 900);
        write("old.sqlite-wal", 900);
        write("busy.sqlite", 800);
        write("busy.sqlite-wal", 1);  // still written by its owner
        const fs::path store = make_store(folder, Sid("next/stage-0/0"));
        QVERIFY(!fs::exists(folder / "old.sqlite") && !fs::exists(folder / "old.sqlite-wal"));
        QVERIFY(fs::exists(folder / "busy.sqlite"));
        std::size_t left = 0;
        for (const auto& entry : fs::directory_iterator(folder)) left += entry.path().extension() == ".sqlite";
        QCOMPARE(left, most_stores - 1);
        QVERIFY(!fs::exists(store));  // created by its owner
    }
};

DIVISI_TEST(StoreFolderTest)

}  // namespace store_folder_test

#include "store_folder_test.moc"
