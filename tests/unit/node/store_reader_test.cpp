// SPDX-License-Identifier: Apache-2.0
#include "agents/node/store_reader.h"
#include "backend/control/protocol/message.h"

#include <QTemporaryDir>

#include <fstream>

#include "agents/node/store_folder.h"
#include "backend/store/instance_store.h"
#include "tests/support/test_program.h"

namespace store_reader_test {

using namespace divisi;
using namespace divisi::node;
namespace fs = std::filesystem;

namespace {

/// A node's folder of stores, and the reader's messages.
struct Folder {
    QTemporaryDir dir;
    fs::path path = fs::path(dir.path().toStdString()) / "stores";
    std::mutex mutex;
    std::vector<control::Message> said;  ///< guarded by the mutex

    void add(const std::string& sid) const {
        const auto made = store::InstanceStore::open(make_store(path, Sid(sid)), Sid(sid), 1, TimePoint{});
        if (!made) qFatal("%s", made.error().message().c_str());
    }
    StoreReader::Say say() {
        return [this](control::Message message) {
            const std::lock_guard lock(mutex);
            said.push_back(std::move(message));
        };
    }
    bool wait_for(std::size_t answers) {
        return QTest::qWaitFor(
            [&] {
                const std::lock_guard lock(mutex);
                return said.size() >= answers;
            },
            20'000);
    }
};

std::vector<std::string> files(const control::StoreList& list) {
    std::vector<std::string> names;
    for (const control::StoreView& store : list.stores) names.push_back(store.file);
    return names;
}

}  // namespace

/// Tests a node's reports about its state stores.
class StoreReaderTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void stores_after_a_given_name_are_listed_in_order() {
        const Folder folder;
        QVERIFY(list_stores(folder.path, "").stores.empty());  // no instance has run yet
        for (const char* sid : {"b-1/stage-0/0", "a-1/stage-0/0", "c-1/stage-0/0"}) folder.add(sid);
        std::ofstream(folder.path / "a-1.stage-0.0.sqlite.damaged") << "x";
        std::ofstream(folder.path / "noise.sqlite") << std::string(8192, 'x');
        const control::StoreList all = list_stores(folder.path, "");
        QCOMPARE(files(all), (std::vector<std::string>{"a-1.stage-0.0.sqlite", "b-1.stage-0.0.sqlite",
                                                       "c-1.stage-0.0.sqlite", "noise.sqlite"}));
        QVERIFY(!all.more && !all.stores[0].damage && all.stores[3].damage);
        QCOMPARE(files(list_stores(folder.path, "b-1.stage-0.0.sqlite")),
                 (std::vector<std::string>{"c-1.stage-0.0.sqlite", "noise.sqlite"}));
    }
    void truncated_answer_reports_further_stores() {
        const Folder folder;
        fs::create_directories(folder.path);
        for (std::size_t i = 0; i <= control::most_listed_stores; ++i)
            std::ofstream(folder.path / (std::to_string(1000 + i) + ".sqlite")) << "x";
        std::size_t listed = 0;
        std::string after;
        for (bool more = true; more;) {
            const control::StoreList list = list_stores(folder.path, after);
            QVERIFY(!list.stores.empty() && list.stores.size() <= control::most_listed_stores);
            listed += list.stores.size();
            after = list.stores.back().file;
            more = list.more;
        }
        QCOMPARE(listed, control::most_listed_stores + 1);
    }
    void questions_are_answered_in_order_with_their_numbers() {
        Folder folder;
        folder.add("a-1/stage-0/0");
        StoreReader reader(folder.path, folder.say());
        reader.ask(control::ListStores{NodeId("m/a"), "", 5});
        reader.ask(control::ReadStore{NodeId("m/a"), Sid("a-1/stage-0/0"), "identity", 0, 10, 6});
        reader.ask(control::ReadStore{NodeId("m/a"), Sid("../../a-1/stage-0/0"), "identity", 0, 10, 7});
        QVERIFY(folder.wait_for(3));
        QCOMPARE(get<control::StoreList>(folder.said[0]).question, std::uint64_t{5});
        const auto& page = get<control::StorePage>(folder.said[1]);
        QCOMPARE(page.question, std::uint64_t{6});
        QCOMPARE(page.rows.size(), std::size_t{1});
        const auto& none = get<control::StorePage>(folder.said[2]);
        QCOMPARE(none.question, std::uint64_t{7});
        QCOMPARE(none.error->code, ErrorCode::not_found);
    }
};

DIVISI_TEST(StoreReaderTest)

}  // namespace store_reader_test

#include "store_reader_test.moc"
