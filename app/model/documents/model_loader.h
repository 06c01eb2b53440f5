// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>

#include "app/model/documents/loaded_model.h"

namespace divisi::model {

/// Loads models on a worker thread. A newer request or cancel() discards the result of an older request. Does not
/// change the document.
class ModelLoader : public QObject {
    Q_OBJECT
public:
    explicit ModelLoader(QObject* parent = nullptr);
    ~ModelLoader() override;

    void load(ModelSource source);
    void cancel();
    bool busy() const { return busy_; }
    const ModelSource& source() const { return source_; }

Q_SIGNALS:
    void started(const QString& title);
    void loaded(const divisi::model::ModelPtr& model);
    void failed(const QString& title, const QString& message);
    void cancelled();

private:
    void finish(std::uint64_t request, const Result<ModelPtr>& result);

    std::uint64_t request_ = 0;  ///< number of the newest request; results of other requests are discarded
    bool busy_ = false;
    ModelSource source_;
};

}  // namespace divisi::model
