// SPDX-License-Identifier: Apache-2.0
#include "backend/store/tensor_selection.h"

#include <QTemporaryDir>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>

#include "backend/store/tensor_file.h"
#include "tests/support/test_program.h"

namespace tensor_selection_test {

using namespace divisi;
using namespace divisi::store;
using graph::DType;
using graph::HostTensor;

namespace {

NamedTensor tensor(const std::string& value, const std::string& slot, std::vector<float> numbers) {
    const auto size = static_cast<std::int64_t>(numbers.size());
    return {to_text({value, slot}), HostTensor::of<float>(DType::float32, {size}, numbers)};
}

}  // namespace

/// Tests the part of a snapshot that is sent to a node which takes over some operators of a stage.
class TensorSelectionTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() {
        folder_ = std::make_unique<QTemporaryDir>();
        blobs_ = BlobStore::open(at("blobs")).value();
    }
    void values_are_selected_unchanged_with_their_slots();
    void selecting_everything_returns_the_snapshot_itself();
    void selecting_nothing_gives_a_file_without_tensors();
    void damaged_snapshot_is_refused();
    void file_that_is_no_snapshot_is_refused();
    void part_is_removed_with_its_snapshot();
    void part_does_not_count_as_the_whole();

private:
    std::filesystem::path at(const std::string& name) const { return folder_->filePath(name.c_str()).toStdString(); }
    std::string snapshot(const std::vector<NamedTensor>& tensors) {
        if (!write_tensors(at("snapshot.sqlite"), tensors)) qFatal("the tensors cannot be written");
        const auto hash = blobs_->adopt(at("snapshot.sqlite"));
        std::filesystem::remove(at("snapshot.sqlite"));
        if (!hash) qFatal("%s", hash.error().message().c_str());
        return *hash;
    }
    std::string two_layers() {
        NamedTensor turned{to_text({"a", "exp_avg"}),
                           HostTensor::of<float>(DType::float32, {2, 3}, {1, 2, 3, 4, 5, 6})};
        turned.tensor.strides = {1, 2};
        return snapshot({tensor("a", "", {1, 2}), turned, tensor("a#exp_avg", "", {3}),  // belongs to another value
                         tensor("b", "", {4}), tensor("b", "exp_avg", {5})});
    }
    std::string selected(const std::string& hash, const std::vector<std::string>& values) {
        const auto part = select_tensors(*blobs_, hash, values);
        if (!part) qFatal("%s", part.error().message().c_str());
        return *part;
    }
    std::vector<NamedTensor> tensors_of(const std::string& hash) {
        return read_tensors(blobs_->path_of(hash).value()).value();
    }

    std::unique_ptr<QTemporaryDir> folder_;
    std::optional<BlobStore> blobs_;
};

void TensorSelectionTest::values_are_selected_unchanged_with_their_slots() {
    const std::string whole = two_layers(), part = selected(whole, {"a", "elsewhere"});
    QVERIFY(part != whole);
    const auto tensors = tensors_of(part);
    QCOMPARE(tensors.size(), std::size_t{2});
    QCOMPARE(tensors[0].name, std::string("a"));
    QCOMPARE(tensors[0].tensor.number_at(1), 2.0);
    QCOMPARE(state_name(tensors[1].name).slot, std::string("exp_avg"));
    QCOMPARE(tensors[1].tensor.dims, (std::vector<std::int64_t>{2, 3}));
    QCOMPARE(tensors[1].tensor.strides, (std::vector<std::int64_t>{1, 2}));
    const auto before = tensors_of(whole);
    QVERIFY(std::ranges::any_of(before, [&](const NamedTensor& one) {
        return one.name == tensors[1].name && std::ranges::equal(one.tensor.bytes(), tensors[1].tensor.bytes());
    }));
    // No temporary file is left.
    for (const auto& entry : std::filesystem::directory_iterator(at("blobs")))
        QVERIFY(entry.path().filename().string().find("selected") == std::string::npos);
    QVERIFY(blobs_->describe(part).ok());
}

void TensorSelectionTest::selecting_everything_returns_the_snapshot_itself() {
    const std::string whole = two_layers();
    QCOMPARE(selected(whole, {"b", "a", "a#exp_avg"}), whole);
}

void TensorSelectionTest::selecting_nothing_gives_a_file_without_tensors() {
    const std::string part = selected(two_layers(), {"elsewhere"});
    QVERIFY(tensors_of(part).empty());
}

void TensorSelectionTest::damaged_snapshot_is_refused() {
    const std::string whole = two_layers();
    {
        std::fstream file(blobs_->path_of(whole).value(), std::ios::in | std::ios::out | std::ios::binary);
        file.seekg(-1, std::ios::end);
        const char bit = static_cast<char>(file.get() ^ 1);
        file.seekp(-1, std::ios::end);
        file.put(bit);
    }
    QCOMPARE(select_tensors(*blobs_, whole, {"b"}).error().code, ErrorCode::corrupt);
}

void TensorSelectionTest::file_that_is_no_snapshot_is_refused() {
    QCOMPARE(select_tensors(*blobs_, std::string(64, 'a'), {"b"}).error().code, ErrorCode::not_found);
    std::ofstream(at("text")) << "a model, or data";
    const auto text = blobs_->adopt(at("text"));
    QVERIFY(text.ok());
    QVERIFY(!select_tensors(*blobs_, *text, {"b"}).ok());
}

void TensorSelectionTest::part_is_removed_with_its_snapshot() {
    const std::string whole(64, 'f'), part = selected(two_layers(), {"a"});
    QVERIFY(blobs_->keep_part(whole, part).ok());
    QVERIFY(blobs_->keep_part(whole, part).ok());  // repeating it is harmless
    QVERIFY(blobs_->remove(part).ok());
    const auto parts = blobs_->parts_of(whole);
    QCOMPARE(parts.size(), std::size_t{1});
    QCOMPARE(parts[0].hash, part);
    QCOMPARE(read_tensors(parts[0].path)->size(), std::size_t{2});
    // The eviction lists the part under the snapshot's hash.
    const auto all = blobs_->list();
    const auto listed = std::ranges::find(all, whole, &BlobUse::hash);
    QVERIFY(listed != all.end());
    QCOMPARE(listed->size, static_cast<Bytes>(std::filesystem::file_size(parts[0].path)));
    QVERIFY(listed->used > TimePoint{});
    QVERIFY(blobs_->remove(whole).ok());
    QVERIFY(blobs_->parts_of(whole).empty());
}

void TensorSelectionTest::part_does_not_count_as_the_whole() {
    const std::string whole(64, 'f'), part = selected(two_layers(), {"a"});
    QVERIFY(blobs_->keep_part(whole, part).ok());
    QVERIFY(!blobs_->has(whole));
    QCOMPARE(blobs_->describe(whole).error().code, ErrorCode::not_found);
    QCOMPARE(select_tensors(*blobs_, whole, {"a"}).error().code, ErrorCode::not_found);
    QCOMPARE(blobs_->keep_part(whole, std::string(64, 'e')).error().code, ErrorCode::not_found);
    QCOMPARE(blobs_->keep_part("../f", part).error().code, ErrorCode::invalid_input);
}

DIVISI_TEST(TensorSelectionTest)

}  // namespace tensor_selection_test

#include "tensor_selection_test.moc"
