// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include <algorithm>
#include <random>
#include <set>

#include "backend/mesh/route_table.h"
#include "backend/mesh/service_path.h"

using namespace divisi;
using namespace divisi::mesh;

namespace {

RoutingId id(int number) { return RoutingId(static_cast<std::uint16_t>(number)); }

PrefixEntry entry(std::string prefix, const std::string& mic = "mic-1") {
    return {std::move(prefix), {}, MicId(mic), id(1), Health::active};
}

TableUpdate whole(std::uint64_t revision, std::vector<PrefixEntry> entries) {
    return {revision, true, std::move(entries), {}};
}

TableUpdate change(std::uint64_t revision, std::vector<PrefixEntry> entries,
                   std::vector<TableUpdate::Removal> removed = {}) {
    return {revision, false, std::move(entries), std::move(removed)};
}

std::vector<std::string> components(const std::string& path) {
    std::vector<std::string> result(1);
    for (const char c : path)
        if (c == '/') result.emplace_back();
        else result.back() += c;
    return result;
}

/// The longest of the prefixes that the path begins with, component by component; empty where there is none.
std::string longest(const std::set<std::string>& prefixes, const std::string& path) {
    const auto wanted = components(path);
    std::vector<std::string> best;
    for (const std::string& prefix : prefixes) {
        const auto parts = components(prefix);
        if (parts.size() <= wanted.size() && std::equal(parts.begin(), parts.end(), wanted.begin()) &&
            parts.size() > best.size())
            best = parts;
    }
    std::string result;
    for (const std::string& part : best) result += (result.empty() ? "" : "/") + part;
    return result;
}

Topology line() {
    std::vector<Device> devices;
    for (int i = 1; i <= 4; ++i) {
        devices.emplace_back();
        devices.back().id = id(i);
    }
    Topology topology;
    if (!topology.set(devices, {{id(1), id(2), 0, 1e9}, {id(2), id(3), 0, 1e9}, {id(1), id(3), 1, 1e9}})) qFatal("set");
    return topology;
}

}  // namespace

class RouteTableTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void a_prefix_ends_at_a_slash();
    void the_longest_prefix_is_that_of_a_linear_scan();
    void every_mic_has_an_entry_of_its_own();
    void changes_come_in_order();
    void a_table_never_goes_back();
    void impossible_entries_are_refused();
    void the_table_is_bounded();
    void the_next_hop_follows_the_topology();
};

void RouteTableTest::a_prefix_ends_at_a_slash() {
    RouteTable table(id(1));
    QVERIFY(table.apply(whole(1, {entry("gpt-1/stage-2"), entry("gpt-1")})));
    QCOMPARE(table.find("gpt-1/stage-20/0")[0].prefix, std::string("gpt-1"));
    QCOMPARE(table.find("gpt-1/stage-2/0")[0].prefix, std::string("gpt-1/stage-2"));
    QCOMPARE(table.find("gpt-1/stage-2")[0].prefix, std::string("gpt-1/stage-2"));
    QVERIFY(table.find("gpt-10/stage-2").empty());
    for (const char* none : {"", "/", "/gpt-1", "gpt-1/", "gpt-1//stage-2"}) QVERIFY(table.find(none).empty());
}

void RouteTableTest::the_longest_prefix_is_that_of_a_linear_scan() {
    std::mt19937_64 rng(3);
    const std::vector<std::string> names{"a", "a-1", "ab", "b", "stage-2", "stage-20"};
    const auto random_path = [&] {
        std::string path = names[rng() % names.size()];
        for (std::uint64_t more = rng() % 4; more > 0; --more) path += "/" + names[rng() % names.size()];
        return path;
    };
    for (int round = 0; round < 100; ++round) {
        std::set<std::string> prefixes;
        std::vector<PrefixEntry> entries;
        for (int i = 0; i < 40; ++i) {
            entries.push_back(entry(random_path()));
            prefixes.insert(entries.back().prefix);
        }
        RouteTable table(id(1));
        QVERIFY(table.apply(whole(1, entries)));
        QCOMPARE(table.size(), prefixes.size());
        for (int i = 0; i < 100; ++i) {
            const std::string path = random_path(), expected = longest(prefixes, path);
            const auto found = table.find(path);
            QCOMPARE(found.empty() ? std::string() : found[0].prefix, expected);
        }
    }
}

void RouteTableTest::every_mic_has_an_entry_of_its_own() {
    RouteTable table(id(1));
    QVERIFY(table.apply(whole(1, {entry("gpt-1", "mic-2"), entry("gpt-1", "mic-1")})));
    QCOMPARE(table.find("gpt-1/stage-0").size(), std::size_t{2});
    QCOMPARE(table.find("gpt-1/stage-0")[0].mic, MicId("mic-1"));
    PrefixEntry faulted = entry("gpt-1", "mic-2");
    faulted.health = Health::faulted;
    faulted.sids = {Sid("gpt-1/stage-0/0")};
    QVERIFY(table.apply(change(2, {faulted})));
    QCOMPARE(table.size(), std::size_t{2});
    QVERIFY(table.find("gpt-1")[1] == faulted);
    QVERIFY(table.apply(change(3, {}, {{"gpt-1", MicId("mic-1")}, {"gpt-1", MicId("mic-9")}, {"x", MicId("mic-1")}})));
    QCOMPARE(table.size(), std::size_t{1});
    QVERIFY(table.apply(change(4, {entry("gpt-1/stage-0")})));
    QCOMPARE(table.find("gpt-1/stage-0/0")[0].prefix, std::string("gpt-1/stage-0"));
    QVERIFY(table.apply(change(5, {}, {{"gpt-1/stage-0", MicId("mic-1")}})));
    QCOMPARE(table.find("gpt-1/stage-0/0")[0].prefix, std::string("gpt-1"));
    QVERIFY(table.apply(change(6, {}, {{"gpt-1", MicId("mic-2")}})));
    QCOMPARE(table.size(), std::size_t{0});
    QVERIFY(table.find("gpt-1").empty());
}

void RouteTableTest::changes_come_in_order() {
    RouteTable table(id(1));
    QVERIFY(table.apply(whole(5, {entry("a")})));
    QCOMPARE(table.apply(change(7, {entry("c")})).error().code, ErrorCode::conflict);
    QVERIFY(table.apply(change(6, {entry("b")})));
    QVERIFY(table.apply(change(6, {}, {{"b", MicId("mic-1")}})));  // came twice
    QVERIFY(table.apply(change(5, {}, {{"a", MicId("mic-1")}})));
    QCOMPARE(table.revision(), std::uint64_t{6});
    QCOMPARE(table.size(), std::size_t{2});
    QVERIFY(table.apply(whole(9, {entry("d")})));
    QCOMPARE(table.revision(), std::uint64_t{9});
    QVERIFY(table.find("a").empty());
    QVERIFY(!table.find("d").empty());
}

void RouteTableTest::a_table_never_goes_back() {
    RouteTable table(id(1));
    QVERIFY(table.apply(whole(5, {entry("a")})));
    QCOMPARE(table.apply(whole(4, {})).error().code, ErrorCode::conflict);
    QCOMPARE(table.size(), std::size_t{1});
    QVERIFY(table.apply(whole(5, {entry("a"), entry("b")})));
    QCOMPARE(table.size(), std::size_t{2});
}

void RouteTableTest::impossible_entries_are_refused() {
    PrefixEntry stray = entry("a"), homeless = entry("a"), closed = entry("a"), odd = entry("a");
    stray.sids = {Sid("ab/0")};
    homeless.mic = MicId();
    closed.gateway = RoutingId();
    odd.health = Health(0);
    RouteTable table(id(1));
    QVERIFY(table.apply(whole(1, {entry("kept")})));
    for (const PrefixEntry& bad :
         {stray, homeless, closed, odd, entry(""), entry("a/"), entry(std::string(longest_service_path + 1, 'a'))}) {
        QCOMPARE(table.apply(whole(2, {entry("b"), bad})).error().code, ErrorCode::invalid_input);
        QCOMPARE(table.apply(change(2, {entry("b"), bad})).error().code, ErrorCode::invalid_input);
    }
    QCOMPARE(table.revision(), std::uint64_t{1});
    QCOMPARE(table.size(), std::size_t{1});
}

void RouteTableTest::the_table_is_bounded() {
    std::vector<PrefixEntry> entries;
    for (std::size_t i = 0; i < most_prefix_entries; ++i) entries.push_back(entry("task-" + std::to_string(i)));
    RouteTable table(id(1));
    QVERIFY(table.apply(whole(1, entries)));
    QCOMPARE(table.apply(change(2, {entry("more")})).error().code, ErrorCode::exhausted);
    entries.push_back(entry("more"));
    QCOMPARE(table.apply(whole(2, entries)).error().code, ErrorCode::exhausted);
    PrefixEntry crowded = entry("a");
    crowded.sids.assign(most_sids_per_entry + 1, Sid("a/0"));
    QCOMPARE(table.apply(whole(2, {crowded})).error().code, ErrorCode::exhausted);
    QCOMPARE(table.size(), most_prefix_entries);
}

void RouteTableTest::the_next_hop_follows_the_topology() {
    RouteTable table(id(1));
    QVERIFY(!table.next_hop(id(3)));
    table.set_topology(line());
    QVERIFY(table.next_hop(id(3)) == id(2));
    QVERIFY(!table.next_hop(id(1)));
    QVERIFY(!table.next_hop(id(4)));  // has no link
    QVERIFY(!table.next_hop(id(5)));
    QVERIFY(table.change([](Topology& topology) { return topology.set_up(id(2), false); }));
    QVERIFY(table.next_hop(id(3)) == id(3));
    QVERIFY(!table.next_hop(id(2)));
    const auto refused = table.change([](Topology& topology) -> Result<void> {
        DIVISI_TRY(topology.set_up(id(2), true));
        return topology.set_up(id(7), true);
    });
    QCOMPARE(refused.error().code, ErrorCode::not_found);
    QVERIFY(table.next_hop(id(3)) == id(2));
}

QTEST_GUILESS_MAIN(RouteTableTest)
#include "route_table_test.moc"
