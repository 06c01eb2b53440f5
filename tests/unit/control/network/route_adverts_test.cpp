// SPDX-License-Identifier: Apache-2.0
#include "backend/control/network/route_adverts.h"

#include <algorithm>
#include <random>

#include "tests/support/test_program.h"

namespace route_adverts_test {

using namespace divisi;
using namespace divisi::control;

namespace {

/// Returns a table with about half of some devices, of the links between them and of some places.
MeshTable random_table(std::mt19937& random, std::uint64_t revision, int figure) {
    const auto half = [&] { return random() % 2 == 0; };
    MeshTable table{revision, {}, {}, {}};
    for (std::uint32_t id = 1; id <= 6; ++id)
        if (half()) table.devices.push_back({id, "device-" + std::to_string(id), mesh::DeviceRole::router, {}, "", ""});
    for (std::uint32_t a = 1; a <= 6; ++a)
        for (std::uint32_t b = a + 1; b <= 6; ++b)
            if (half()) table.links.push_back({a, b, table_latency_s, table_bytes_per_s});
    for (const char* task : {"a", "a-1", "b"})
        for (const char* unit : {"/stage-0/0", "/stage-1/0"})
            if (half())
                table.places.push_back({TaskId(task), Sid(task + std::string(unit)), 1, half() ? "x" : "y", ""});
    if (figure > 0 && !table.links.empty()) table.links.front().latency_s = figure;
    return table;
}

template <typename Row>
bool all_within(const std::vector<Row>& rows, const std::vector<Row>& others) {
    return std::ranges::all_of(rows, [&](const Row& row) { return std::ranges::count(others, row) == 1; });
}

bool same(const MeshTable& a, const MeshTable& b) {
    return a.revision == b.revision && a.devices == b.devices && a.links == b.links && a.places == b.places;
}

}  // namespace

/// Tests the change that updates a device from one route table to the next.
class RouteAdvertsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void change_updates_one_table_to_the_next();
    void removed_devices_or_links_need_the_whole_table();
    void change_from_another_revision_is_ignored();
};

void RouteAdvertsTest::change_updates_one_table_to_the_next() {
    std::mt19937 random(1);
    int changes = 0;
    for (int i = 0; i < 20'000; ++i) {
        const MeshTable before = random_table(random, 4, static_cast<int>(random() % 2)),
                        one = random_table(random, 5, 0);
        MeshTable after = one;
        if (i % 2 == 0) {  // a change that only adds devices and links
            after.devices = before.devices;
            after.links = before.links;
            if (one.devices.size() > 3) after.devices.push_back({9, "device-9", mesh::DeviceRole::gateway, {}, "", ""});
            if (one.links.size() > 7) after.links.push_back({7, 8, table_latency_s, table_bytes_per_s});
        }
        const auto change = change_between(before, after);
        const bool only_added = all_within(before.devices, after.devices) && all_within(before.links, after.links);
        QCOMPARE(change.has_value(), only_added);
        if (!change) continue;
        ++changes;
        MeshTable table = before;
        QVERIFY(apply(table, *change));
        QVERIFY(same(table, after));
    }
    QVERIFY(changes > 10'000);
}

void RouteAdvertsTest::removed_devices_or_links_need_the_whole_table() {
    MeshTable before{1, {{1, "a", mesh::DeviceRole::router, {}, "", ""}}, {}, {}}, after{2, {}, {}, {}};
    QVERIFY(!change_between(before, after));
    after.devices = before.devices;
    after.devices[0].endpoint = "elsewhere";
    QVERIFY(!change_between(before, after));
    after.devices = before.devices;
    before.links = {{1, 2, 1e-4, 1e9}};
    QVERIFY(!change_between(before, after));
}

void RouteAdvertsTest::change_from_another_revision_is_ignored() {
    MeshTable table{3, {}, {}, {{TaskId("t"), Sid("t/stage-0/0"), 1, "", ""}}};
    const MeshTable before = table;
    for (const std::uint64_t since : {0, 2, 4}) {
        QVERIFY(!apply(table, MeshChange{since, 5, {}, {}, {}, {Sid("t/stage-0/0")}}));
        QVERIFY(same(table, before));
    }
}

DIVISI_TEST(RouteAdvertsTest)

}  // namespace route_adverts_test

#include "route_adverts_test.moc"
