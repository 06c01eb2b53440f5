// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/wording/zoo_text.h"

#include <QCoreApplication>
#include <algorithm>
#include <iterator>

#include "app/model/wording/range_text.h"

namespace divisi::model {

namespace {

struct SizeWords {
    const char* key;   ///< key in the task file
    const char* name;  ///< untranslated name
    const char* unit;  ///< unit for range_text(); null: none
};

constexpr SizeWords size_words[] = {
    {"layers", QT_TRANSLATE_NOOP("Zoo", "Layers"), "layers"},
    {"width", QT_TRANSLATE_NOOP("Zoo", "Width"), "features"},
    {"heads", QT_TRANSLATE_NOOP("Zoo", "Heads"), "heads"},
    {"inputs", QT_TRANSLATE_NOOP("Zoo", "Inputs"), "features"},
    {"classes", QT_TRANSLATE_NOOP("Zoo", "Classes"), "classes"},
    {"channels", QT_TRANSLATE_NOOP("Zoo", "Channels"), "channels"},
    {"image", QT_TRANSLATE_NOOP("Zoo", "Image"), "pixels"},
    {"context", QT_TRANSLATE_NOOP("Zoo", "Context"), "tokens"},
    {"vocabulary", QT_TRANSLATE_NOOP("Zoo", "Vocabulary"), "tokens"},
    {"tied", QT_TRANSLATE_NOOP("Zoo", "Tied embeddings"), nullptr},
    {"patch", QT_TRANSLATE_NOOP("Zoo", "Patch"), "pixels"},
};

/// Descriptions from backend/graph/zoo.cpp.
[[maybe_unused]] constexpr const char* zoo_meanings[] = {
    QT_TRANSLATE_NOOP("Zoo", "fully connected layers with ReLU"),
    QT_TRANSLATE_NOOP("Zoo", "LeNet-5 for small images, with ReLU and max pooling"),
    QT_TRANSLATE_NOOP("Zoo", "ResNet-18 with batch normalization; image 224, classes 1000 is the original"),
    QT_TRANSLATE_NOOP("Zoo", "GPT-2 style language model over bytes"),
    QT_TRANSLATE_NOOP(
        "Zoo", "vision transformer; image 224, patch 16, layers 12, width 768, heads 12, classes 1000 is ViT-B/16"),
    QT_TRANSLATE_NOOP("Zoo", "a shared backbone with one branch per task head"),
    QT_TRANSLATE_NOOP("Zoo", "number of layers or blocks"),
    QT_TRANSLATE_NOOP("Zoo", "features of a layer"),
    QT_TRANSLATE_NOOP("Zoo", "attention heads; divides width"),
    QT_TRANSLATE_NOOP("Zoo", "features of a sample"),
    QT_TRANSLATE_NOOP("Zoo", "outputs"),
    QT_TRANSLATE_NOOP("Zoo", "colour channels of an image"),
    QT_TRANSLATE_NOOP("Zoo", "height and width of an image in pixels"),
    QT_TRANSLATE_NOOP("Zoo", "channels after the first convolution"),
    QT_TRANSLATE_NOOP("Zoo", "tokens of a sample"),
    QT_TRANSLATE_NOOP("Zoo", "distinct tokens"),
    QT_TRANSLATE_NOOP("Zoo", "1: input and output embedding are one weight"),
    QT_TRANSLATE_NOOP("Zoo", "height and width of a patch; divides image"),
    QT_TRANSLATE_NOOP("Zoo", "task heads"),
};

/// Translates the text and capitalises its first letter, so that it is a complete sentence.
QString zoo_words(const std::string& text) {
    QString said = QCoreApplication::translate("Zoo", text.c_str());
    if (!said.isEmpty()) said[0] = said[0].toUpper();
    return said;
}

const SizeWords* words_of(const graph::ZooSize& size) {
    const auto* found =
        std::ranges::find_if(size_words, [&](const SizeWords& words) { return words.key == size.name; });
    return found == std::end(size_words) ? nullptr : found;
}

}  // namespace

QString zoo_meaning(const graph::ZooModel& model) { return zoo_words(model.meaning); }

QString zoo_size_name(const graph::ZooSize& size) {
    const SizeWords* words = words_of(size);
    return words ? QCoreApplication::translate("Zoo", words->name) : QString::fromStdString(size.name);
}

QString zoo_size_help(const graph::ZooSize& size) {
    const SizeWords* words = words_of(size);
    // The width of a convolutional network's first stage is its number of channels.
    const bool channels = size.meaning.starts_with("channels");
    const char* unit = channels ? "channels" : words ? words->unit : nullptr;
    return help_text(zoo_words(size.meaning), range_text({size.least, size.most}, unit));
}

}  // namespace divisi::model
