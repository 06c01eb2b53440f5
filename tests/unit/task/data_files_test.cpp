// SPDX-License-Identifier: Apache-2.0

#include "backend/task/data_files.h"

#include "tests/support/test_program.h"

namespace data_files_test {

using namespace divisi::task;

/// Tests which files a [data] section refers to.
class DataFilesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void labels_lie_beside_images() {
        QCOMPARE(labels_beside("/d/train-images-idx3"), std::string("/d/train-labels-idx3"));
        QCOMPARE(labels_beside("images/images-of-images"), std::string("images/images-of-labels"));
        QCOMPARE(labels_beside("node:/d/images"), std::string("node:/d/labels"));
        QCOMPARE(labels_beside("/images/pictures"), std::string());
        QCOMPARE(labels_beside(""), std::string());
    }

    void each_kind_of_data_reads_its_own_files() {
        DataSection data;
        data.kind = "synthetic";
        QVERIFY(data_files(data).empty());
        data.kind = "csv";
        data.path = "images.csv";
        data.validation = "v.csv";
        QCOMPARE(purposes(data), std::string("data validation "));
        data.kind = "images";
        data.validation = "images-v";
        QCOMPARE(purposes(data), std::string("data labels* validation validation_labels* "));
        data.labels = "l";
        QCOMPARE(purposes(data), std::string("data labels validation validation_labels* "));
    }

private:
    /// Returns the purposes of the files; a star marks files that the task file does not name.
    static std::string purposes(const DataSection& data) {
        std::string text;
        for (const DataFile& file : data_files(data)) text += file.purpose + (file.derived ? "* " : " ");
        return text;
    }
};

DIVISI_TEST(DataFilesTest)

}  // namespace data_files_test

#include "data_files_test.moc"
