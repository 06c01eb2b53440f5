// SPDX-License-Identifier: Apache-2.0
#include "backend/submit/placement.h"

#include <QFile>
#include <QTemporaryDir>

#include "backend/process/processor.h"
#include "backend/store/link_store.h"
#include "backend/store/profile_store.h"
#include "tests/support/test_program.h"

namespace placement_test {

using namespace divisi;

namespace {

control::NodeView node(const std::string& id, const std::string& host, const std::string& processor) {
    control::NodeView view;
    view.info.id = NodeId(id);
    view.info.host = host;
    view.info.devices = {{"cpu", processor, 4, 0}};
    return view;
}

}  // namespace

/// Tests the placement of a client's plans, and their prices.
class PlacementTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void each_processor_has_its_own_prices();
    void gpu_has_the_prices_of_its_model();
    void stated_rates_are_those_of_one_thread();
    void unreadable_prices_leave_default_rates();
    void prices_stored_meanwhile_are_noticed();
};

void PlacementTest::each_processor_has_its_own_prices() {
    const QTemporaryDir folder;
    const std::filesystem::path data = folder.path().toStdString();
    {
        auto store = store::ProfileStore::open(data / store::profile_file);
        QVERIFY(store.ok());
        for (const double rate : {1e9, 7e9}) {
            price::DeviceProfile profile = price::default_profile("cpu", 2);
            profile.device_type = rate < 2e9 ? "slow" : "fast";
            profile.rates.product_flops_per_s = rate;
            QVERIFY((*store)->save(profile, 2).ok());
        }
    }
    control::ClusterState state;
    for (const auto& view : {node("m/a", "one", "fast"), node("m/b", "two", "slow"), node("m/c", "three", "unknown")})
        state.nodes[view.info.id] = view;
    task::PlaceSection place;
    place.threads = 2;
    const price::Placement placement = submit::placement_of(state, place, data)(4);
    QCOMPARE(placement.stages.size(), std::size_t{4});
    QCOMPARE(placement.stages[0].profile->rates.product_flops_per_s, 7e9);
    QCOMPARE(placement.stages[1].profile->rates.product_flops_per_s, 1e9);
    const double guessed = price::default_profile("cpu", 2).rates.product_flops_per_s;
    QCOMPARE(placement.stages[2].profile->rates.product_flops_per_s, guessed);
    QCOMPARE(placement.stages[3].profile, placement.stages[0].profile);  // priced only once
}

void PlacementTest::gpu_has_the_prices_of_its_model() {
    const QTemporaryDir folder;
    const std::filesystem::path data = folder.path().toStdString();
    price::DeviceProfile profile = price::default_profile("cuda");
    profile.device_type = "a large GPU";
    profile.rates.product_flops_per_s = 9e12;
    QVERIFY((*store::ProfileStore::open(data / store::profile_file))->save(profile, 1).ok());
    control::ClusterState state;
    for (auto view : {node("m/a", "one", "x"), node("m/b", "two", "x")}) {
        view.info.devices.push_back({"cuda:0", view.info.host == "one" ? "a large GPU" : "a small GPU", 0, 0});
        state.nodes[view.info.id] = view;
    }
    task::PlaceSection place;
    place.device = "cuda";
    const price::Placement placement = submit::placement_of(state, place, data)(2);
    QCOMPARE(placement.stages[0].profile->rates.product_flops_per_s, 9e12);
    const double guessed = price::default_profile("cuda").rates.product_flops_per_s;
    QCOMPARE(placement.stages[1].profile->rates.product_flops_per_s, guessed);
}

void PlacementTest::stated_rates_are_those_of_one_thread() {
    control::ClusterState state;
    control::NodeView view = node("m/a", "one", "x");
    view.info.devices = {{"cpu", "x", 4, 0, 5e9, 2e9}, {"cuda:0", "a GPU", 0, 0, 5e12, 8e11}};
    state.nodes[view.info.id] = view;
    task::PlaceSection place;
    place.threads = 4;
    const price::DeviceRates four = submit::placement_of(state, place, "/nowhere/at/all")(1).stages[0].profile->rates;
    QCOMPARE(four.product_flops_per_s, 20e9);
    QCOMPARE(four.bytes_per_s, 8e9);
    place.device = "cuda";
    const price::DeviceRates gpu = submit::placement_of(state, place, "/nowhere/at/all")(1).stages[0].profile->rates;
    QCOMPARE(gpu.product_flops_per_s, 5e12);
    QCOMPARE(gpu.bytes_per_s, 8e11);
}

void PlacementTest::unreadable_prices_leave_default_rates() {
    const QTemporaryDir folder;
    QFile damaged(folder.filePath(store::profile_file));
    QVERIFY(damaged.open(QIODevice::WriteOnly) && damaged.write(QByteArray(4096, 'x')) == 4096);
    damaged.close();
    const price::NodePool pool = submit::placement_of({}, {}, folder.path().toStdString());
    QVERIFY(pool.note.find("measured prices are not used") == 0);
    const price::Placement placement = submit::placement_of({}, {}, "/nowhere/at/all")(2);
    QCOMPARE(placement.stages.size(), std::size_t{2});
    QCOMPARE(placement.hosts.size(), std::size_t{1});
    const double guessed = price::default_profile("cpu", 1).rates.product_flops_per_s;
    QCOMPARE(placement.stages[1].profile->rates.product_flops_per_s, guessed);
}

void PlacementTest::prices_stored_meanwhile_are_noticed() {
    const QTemporaryDir folder;
    const std::filesystem::path data = folder.path().toStdString();
    const std::string nothing = submit::prices_signature(data);
    auto store = store::ProfileStore::open(data / store::profile_file);
    price::DeviceProfile profile = price::default_profile("cpu");
    profile.device_type = "x";
    QVERIFY((*store)->save(profile, 1).ok());
    const std::string open = submit::prices_signature(data);
    QVERIFY(open != nothing);
    store->reset();
    const std::string stored = submit::prices_signature(data);
    (void)submit::placement_of({}, {}, data);  // reading does not change the signature
    const std::string read = submit::prices_signature(data);
    (void)submit::placement_of({}, {}, data);
    QCOMPARE(submit::prices_signature(data), read);
    const std::string host = process::host_name();
    QVERIFY(
        (*store::LinkStore::open(data / store::profile_file))
            ->save({{NodeId(), NodeId(), host, host, control::LinkTransport::ipc, {1e-4, 0, 0, 5e8, 0}}, TimePoint()})
            .ok());
    QVERIFY(submit::prices_signature(data) != read);
    const price::LinkModel link = submit::placement_of({}, {}, data).links.within_host;
    QCOMPARE(link.source, price::LinkSource::measured);
    QCOMPARE(link.occupancy(500'000'000), 1.0);
    control::ClusterState state;
    const std::string before = submit::nodes_signature(state);
    state.stated_links = {{"*", "*", 1e-3, {}}};
    QVERIFY(submit::nodes_signature(state) != before);
    const std::string unruled = submit::nodes_signature(state);
    for (const std::uint64_t version : {1, 2}) state.policies[version].version = version;
    QVERIFY(submit::nodes_signature(state) != unruled);
    const control::ClusterState copy = submit::nodes_and_links(state);
    QCOMPARE(copy.policies.size(), std::size_t{1});  // the policy in force
    QCOMPARE(submit::nodes_signature(copy), submit::nodes_signature(state));
}

DIVISI_TEST(PlacementTest)

}  // namespace placement_test

#include "placement_test.moc"
